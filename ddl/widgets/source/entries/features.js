import { render } from "../features.js";
import { shell } from "../shell.js";

export default shell(render, "Feature maps");
