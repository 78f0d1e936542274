import { page } from "../page.js";

page(document);
