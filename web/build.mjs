// Makes the page: one HTML file with script and style inside, and their hashes in comments for the security policy.
// usage: node build.mjs OUTPUT
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { build } from "esbuild";

const output = process.argv[2] ?? "dist/viewer.html";
const { outputFiles } = await build({
  entryPoints: ["src/main.ts", "src/style.css"],
  bundle: true,
  minify: true,
  format: "iife",
  target: "es2022",
  charset: "utf8",
  legalComments: "inline",
  write: false,
  outdir: "out",
  logLevel: "error",
});
const worker = await build({
  entryPoints: ["src/worker.ts"], bundle: true, minify: true, format: "iife", target: "es2022", charset: "utf8", write: false, logLevel: "error",
});
const text = (end) => outputFiles.find((f) => f.path.endsWith(end)).text.trim();
// What would end the element that it stands in.
const safe = (code) => code.replaceAll("</script", "<\\/script").replaceAll("<!--", "<\\!--");
const script = safe(text(".js"));
const style = text(".css");
const hash = (content) => `sha256-${createHash("sha256").update(content, "utf8").digest("base64")}`;
let html = readFileSync("index.html", "utf8");
const put = (mark, content) => {
  if (html.split(mark).length !== 2) throw new Error(`index.html must have one ${mark}`);
  html = html.replace(mark, () => content);
};
put("<!-- style -->", `<!-- style ${hash(style)} --><style>${style}</style>`);
// Text that the page makes a worker of, so that its policy holds there too.
put("<!-- worker -->", `<script type="text/plain" id="worker">${safe(worker.outputFiles[0].text.trim())}</script>`);
put("<!-- script -->", `<!-- script ${hash(script)} --><script>${script}</script>`);
mkdirSync(dirname(output), { recursive: true });
writeFileSync(output, html);
