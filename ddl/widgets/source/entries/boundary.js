import { render } from "../boundary.js";
import { shell } from "../shell.js";

export default shell(render, "Decision boundary");
