import { render } from "../initialisers.js";
import { shell } from "../shell.js";

export default shell(render, "Initialiser explorer");
