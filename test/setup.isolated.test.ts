// A checkout is made ready once, by whomever.
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { ownDirectory } from "./support/own-directory.ts";

const ROOT = fileURLToPath(new URL("../", import.meta.url));

/** A checkout whose scripts do nothing once the packages are there, and an npm that only says that it was called. */
function checkout() {
  const directory = ownDirectory();
  const inIt = (path: string): string => join(directory.path, path);
  for (const path of ["scripts", "node_modules/.bin", "bin"])
    mkdirSync(inIt(path), { recursive: true });
  for (const script of ["setup", "installed", "programs"]) {
    cpSync(join(ROOT, `scripts/${script}.mjs`), inIt(`scripts/${script}.mjs`));
  }
  for (const script of ["build-page", "build-programs"])
    writeFileSync(inIt(`scripts/${script}.ts`), "");
  mkdirSync(inIt("node_modules/.cache/nacre-programs/current"), { recursive: true });
  writeFileSync(inIt("bin/npm"), `#!/bin/sh\necho "$@" >> ${inIt("npm-calls")}\n`, { mode: 0o755 });
  symlinkSync(process.execPath, inIt("bin/node"));
  cpSync(join(ROOT, "package-lock.json"), inIt("package-lock.json"));
  return {
    inIt,
    /** What npm was called with. */
    prepare(): string {
      const env = { ...process.env, PATH: `${inIt("bin")}:${process.env["PATH"]}` };
      const { status, stderr } = spawnSync(
        process.execPath,
        [inIt("scripts/setup.mjs"), "prepare"],
        {
          env,
          encoding: "utf8",
        },
      );
      expect({ status, stderr: status === 0 ? "" : stderr }).toEqual({ status: 0, stderr: "" });
      const calls = inIt("npm-calls");
      return existsSync(calls) ? readFileSync(calls, "utf8") : "";
    },
    [Symbol.dispose]: () => directory[Symbol.dispose](),
  };
}

const installed = (): { packages: Record<string, { version?: string }> } =>
  JSON.parse(readFileSync(join(ROOT, "node_modules/.package-lock.json"), "utf8"));

test("right after npm ci nothing is installed again", () => {
  using one = checkout();
  writeFileSync(one.inIt("node_modules/.package-lock.json"), JSON.stringify(installed()));
  expect(one.prepare()).toBe("");
  expect(one.prepare()).toBe("");
});

test.each([
  ["nothing was installed", undefined],
  ["a package is missing", "delete"],
  ["a package is another one", "change"],
] as const)("where %s, npm ci is run once", (_what, how) => {
  using one = checkout();
  if (how !== undefined) {
    const { packages, ...rest } = installed();
    const [path = ""] = Object.keys(packages).filter((name) => name.endsWith("/zod"));
    if (how === "delete") delete packages[path];
    else packages[path] = { ...packages[path], version: "0.0.1" };
    const text = JSON.stringify({ ...rest, packages });
    writeFileSync(one.inIt("node_modules/.package-lock.json"), text);
  }
  expect(one.prepare()).toBe("ci --loglevel=error --no-progress\n");
  expect(one.prepare()).toBe("ci --loglevel=error --no-progress\n");
});
