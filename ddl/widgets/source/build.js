// Bundles every file of entries/ for browsers: `npm run build`, or `node build.js FOLDER` to put the bundles there.
import { build } from "esbuild";
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));

await build({
  entryPoints: readdirSync(here("entries")).map((name) => here(`entries/${name}`)),
  outdir: process.argv[2] ?? here("../bundle"),
  bundle: true,
  minify: true,
  format: "esm",
  target: "es2022",
  charset: "utf8",
  legalComments: "none",
  loader: { ".css": "text" },
});
