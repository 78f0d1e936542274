import { render } from "../player.js";

export default { render };
