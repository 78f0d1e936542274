import { render } from "../strides.js";
import { shell } from "../shell.js";

export default shell(render, "Strides explorer");
