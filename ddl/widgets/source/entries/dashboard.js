import { render } from "../dashboard.js";
import { shell } from "../shell.js";

export default shell(render, "Training dashboard");
