import { shell } from "../shell.js";
import { render } from "../sample.js";

export default shell(render, "Sampling playground");
