// Builds the package: our sources through tsc, and beside them the generated code that they import. src/gen is a link to
// the repository's gen/ts; the package carries a copy, so that it needs nothing from outside but its dependencies.
import { execFileSync } from "node:child_process";
import { cpSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const gen = join(root, "../../gen/ts");
const dist = join(root, "dist");
const tsc = createRequire(import.meta.url).resolve("typescript/bin/tsc");

rmSync(dist, { recursive: true, force: true });
execFileSync(process.execPath, [tsc, "-p", "tsconfig.build.json"], { cwd: root, stdio: "inherit" });
for (const folder of ["waybill/v1", "buf/validate"]) {
  cpSync(join(gen, folder), join(dist, "gen", folder), { recursive: true });
}
