import { render } from "../convolve.js";
import { shell } from "../shell.js";

export default shell(render, "Convolution explorer");
