// Scenes as links: every built-in one comes back as it was, and what is no scene of ours is refused before it costs anything.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { deflateRawSync } from "node:zlib";
import { build } from "esbuild";

const { outputFiles } = await build({ entryPoints: ["src/link.ts"], bundle: true, format: "esm", write: false, logLevel: "error" });
const { pack, unpack } = await import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].text).toString("base64")}`);
const folder = process.env.SUPPLE_SCENES ?? "../../../scenes";
const fragment = (bytes) => `scene=${deflateRawSync(bytes, { level: 9 }).toString("base64url")}`;

test("built-in scenes come back as they were, in letters that addresses may have", async () => {
  const names = readdirSync(folder).filter((n) => n.endsWith(".toml"));
  assert.ok(names.length > 20);
  for (const name of names) {
    const text = readFileSync(join(folder, name), "utf8");
    const link = await pack(text);
    assert.match(link, /^scene=[\w-]+$/);
    assert.ok(link.length < 2000, `${name}: ${link.length} letters`);
    assert.equal(await unpack(`#${link}`), text);
  }
});

test("fragments of others are none of ours", async () => {
  for (const other of ["", "#", "#top", "#scenes", "scen"]) assert.equal(await unpack(other), null);
});

test("hostile links are refused", async () => {
  const bad = {
    letters: "scene=%%%", "end of file": "scene=AAAA", "too long": `scene=${"A".repeat(40_000)}`, "too large": fragment(Buffer.alloc(10 << 20)),
    "not valid": fragment(Buffer.from([0xff, 0xfe])),
  };
  for (const [why, link] of Object.entries(bad)) await assert.rejects(unpack(link), new RegExp(why), link.slice(0, 40));
  // Every cut and every changed letter of a good one ends in an error or in text, never in anything else.
  const good = await pack("version = 1\n[[body]]\nname = \"a\"\n");
  for (let k = 7; k < good.length; k++) {
    for (const link of [good.slice(0, k), `${good.slice(0, k)}_${good.slice(k + 1)}`]) {
      const outcome = await unpack(link).catch((e) => e);
      assert.ok(typeof outcome === "string" || outcome instanceof Error, link);
    }
  }
});

test("a scene that is too large for a link is refused", async () => {
  await assert.rejects(pack("a".repeat(300 << 10)), /too large/);
  const noise = Array.from({ length: 40_000 }, (_, i) => String.fromCharCode(33 + ((i * i * 7919 + i * 104729) >> 3) % 90)).join("");
  await assert.rejects(pack(noise), /too large/);
});
