import { render } from "../player.js";
import { shell } from "../shell.js";

export default shell(render, "Graph player");
