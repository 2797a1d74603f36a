// Runs the tests of the page's own parts under node's test runner.
import { build } from "esbuild";
import { spawnSync } from "node:child_process";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const names = (await readdir(join(here, "test"))).filter((name) => name.endsWith(".test.ts"));
const folder = await mkdtemp(join(tmpdir(), "featmap-"));
await build({
  absWorkingDir: here,
  bundle: true,
  entryPoints: names.map((name) => join("test", name)),
  format: "esm",
  logLevel: "warning",
  outdir: folder,
  outExtension: { ".js": ".mjs" },
  platform: "node",
});
const files = names.map((name) => join(folder, name.replace(/ts$/, "mjs")));
const { status } = spawnSync(process.execPath, ["--test", ...files], { cwd: here, stdio: "inherit" });
await rm(folder, { recursive: true });
process.exit(status ?? 1);
