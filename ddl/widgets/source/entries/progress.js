import { shell } from "../shell.js";
import { render } from "../progress.js";

export default shell(render, "How far you are");
