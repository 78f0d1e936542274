import { shell } from "../shell.js";
import { render } from "../rotary.js";

export default shell(render, "Rotary positions");
