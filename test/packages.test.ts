import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { z } from "zod";

const ROOT = join(import.meta.dirname, "..");

/** Packages whose install script is not needed: they ship what it would build. */
const WORKS_WITHOUT_ITS_SCRIPT = ["node_modules/koffi"];

/** A supply chain is judged by its length; each of these has a line in docs/decisions. */
const RUNTIME_DEPENDENCIES = [
  "@lydell/node-pty",
  "@modelcontextprotocol/server",
  "@xterm/addon-unicode11",
  "@xterm/headless",
  "koffi",
  "ws",
  "zod",
];

const Versions = z.record(z.string(), z.string()).optional();
const Manifest = z.object({
  name: z.string(),
  version: z.string(),
  dependencies: Versions,
  devDependencies: Versions,
  optionalDependencies: Versions,
});
const Lock = z.object({
  packages: z.record(
    z.string(),
    z.object({ hasInstallScript: z.boolean().optional(), resolved: z.string().optional() }),
  ),
});

const read = (path: string): unknown => JSON.parse(readFileSync(join(ROOT, path), "utf8"));

const packages = readdirSync(join(ROOT, "packages")).map((name) =>
  Manifest.parse(read(`packages/${name}/package.json`)),
);
const workspace = Manifest.parse(read("package.json"));
const lock = Lock.parse(read("package-lock.json"));

test("no package needs an install script", () => {
  const withScript = Object.entries(lock.packages)
    .filter(([, { hasInstallScript }]) => hasInstallScript)
    .map(([path]) => path);
  expect(withScript).toEqual(WORKS_WITHOUT_ITS_SCRIPT);
});

test("every version is pinned", () => {
  const versions = [workspace, ...packages].flatMap(
    ({ dependencies, devDependencies, optionalDependencies }) =>
      Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies }),
  );
  expect(versions.filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))).toEqual([]);
});

test("the lock file names no registry", () => {
  const resolved = Object.values(lock.packages).flatMap((entry) => entry.resolved ?? []);
  expect(resolved.filter((address) => !address.startsWith("packages/"))).toEqual([]);
});

test("all packages have one version", () => {
  expect(new Set([workspace, ...packages].map(({ version }) => version)).size).toBe(1);
});

test("the runtime needs few packages, and each has a decision", () => {
  const names = packages
    .flatMap((one) => Object.keys({ ...one.dependencies, ...one.optionalDependencies }))
    .filter((name) => !packages.some((one) => one.name === name));
  expect(new Set(names)).toEqual(new Set(RUNTIME_DEPENDENCIES));
  const decisions = readdirSync(join(ROOT, "docs/decisions"))
    .map((file) => readFileSync(join(ROOT, "docs/decisions", file), "utf8"))
    .join("\n");
  const tools = Object.keys({ ...workspace.devDependencies, ...workspace.optionalDependencies });
  expect([...names, ...tools].filter((name) => !decisions.includes(`\`${name}\``))).toEqual([]);
});
