import { render } from "../race.js";
import { shell } from "../shell.js";

export default shell(render, "Optimizer race");
