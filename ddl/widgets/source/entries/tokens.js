import { shell } from "../shell.js";
import { render } from "../tokens.js";

export default shell(render, "Tokens of a text");
