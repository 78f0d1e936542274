import { render } from "../digits.js";
import { shell } from "../shell.js";

export default shell(render, "Draw a digit");
