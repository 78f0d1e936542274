import { shell } from "../shell.js";
import { render } from "../attend.js";

export default shell(render, "Attention explorer");
