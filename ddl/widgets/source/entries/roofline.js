import { render } from "../roofline.js";
import { shell } from "../shell.js";

export default shell(render, "Roofline and timeline");
