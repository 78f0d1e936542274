import { render } from "../broadcast.js";
import { shell } from "../shell.js";

export default shell(render, "Broadcast explorer");
