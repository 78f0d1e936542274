import { render } from "../microscope.js";
import { shell } from "../shell.js";

export default shell(render, "Gradient microscope");
