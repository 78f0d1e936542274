import { shell } from "../shell.js";
import { render } from "../lens.js";

export default shell(render, "Logit lens");
