// What npm would publish, used as a stranger uses it.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const project = mkdtempSync(join(tmpdir(), "waybill-consumer-"));
const installed = join(project, "node_modules/@waybill/client");
let files: string[];

beforeAll(() => {
  // Our own dist is built already (npm test does); a script run by npm pack would build it again under the other tests.
  const packed = execFileSync("npm", ["pack", "--json", "--ignore-scripts", "--pack-destination", project], {
    cwd: root,
    encoding: "utf8",
  });
  const [{ filename, files: listed }] = JSON.parse(packed) as [{ filename: string; files: { path: string }[] }];
  files = listed.map(({ path }) => path);
  mkdirSync(installed, { recursive: true });
  execFileSync("tar", ["-xzf", join(project, filename), "--strip-components=1", "-C", installed]);
  for (const scope of ["@bufbuild", "@connectrpc"]) {
    symlinkSync(join(root, "../../node_modules", scope), join(project, "node_modules", scope));
  }
  writeFileSync(join(project, "package.json"), JSON.stringify({ type: "module" }));
});

afterAll(() => rmSync(project, { recursive: true }));

it("holds what it needs and nothing else", () => {
  expect(files).toContain("README.md");
  expect(files).toContain("dist/gen/waybill/v1/order_pb.js");
  expect(files.filter((path) => !/^(package\.json|README\.md|dist\/.*\.(js|d\.ts))$/.test(path))).toEqual([]);
  for (const path of files.filter((path) => path.endsWith(".js"))) {
    expect(existsSync(join(installed, path.replace(/\.js$/, ".d.ts"))), `types of ${path}`).toBe(true);
    for (const [, target] of readFileSync(join(installed, path), "utf8").matchAll(/from "(\.[^"]+)"/g)) {
      expect(existsSync(join(installed, dirname(path), target ?? "")), `${path} imports ${target}`).toBe(true);
    }
  }
});

it("runs as an ES module", () => {
  const program = `
    import { createWaybillClient, WaybillError } from "@waybill/client";
    const client = createWaybillClient({ baseUrl: "http://127.0.0.1:1", account: "dhaka-shop", attempts: 1 });
    await client.getOrder({ orderNumber: "1001" }).catch((error) => {
      console.log(WaybillError.is(error), error.kind);
    });`;
  const printed = execFileSync(process.execPath, ["--input-type=module", "-e", program], {
    cwd: project,
    encoding: "utf8",
  });
  expect(printed).toBe("true unavailable\n");
});

it("compiles in a strict project, under the bundler's rules and under Node's", () => {
  writeFileSync(
    join(project, "page.ts"),
    `import { createWaybillClient, type Order } from "@waybill/client";
     const client = createWaybillClient({ baseUrl: "https://waybill.internal", account: "dhaka-shop" });
     export const order: Promise<Order> = client.getOrder({ trackingToken: "a-token-of-a-link" });`,
  );
  const tsc = createRequire(import.meta.url).resolve("typescript/bin/tsc");
  for (const [module, moduleResolution] of [
    ["ESNext", "Bundler"],
    ["NodeNext", "NodeNext"],
  ]) {
    const compilerOptions = { strict: true, noEmit: true, target: "ES2022", lib: ["ES2022", "DOM"], types: [] };
    writeFileSync(
      join(project, "tsconfig.json"),
      JSON.stringify({ compilerOptions: { ...compilerOptions, module, moduleResolution } }),
    );
    execFileSync(process.execPath, [tsc], { cwd: project, stdio: "inherit" });
  }
});
