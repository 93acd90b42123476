import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { describe, expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "..");
const MAX_LINES = 600;

/** Which packages each package may import. npm packages are declared in package.json and checked by knip. */
const PACKAGE_MAY_IMPORT: Record<string, readonly string[]> = {
  contracts: [],
  client: ["@nacre/contracts", "@nacre/contracts/error"],
  host: ["@nacre/contracts", "@nacre/contracts/generate", "@nacre/contracts/plain"],
  cli: [
    "@nacre/contracts",
    "@nacre/contracts/error",
    "@nacre/client",
    "@nacre/client/node",
    "@nacre/client/quick",
    "@nacre/host",
  ],
  web: ["@nacre/contracts", "@nacre/client"],
};

/** Which folders each folder of the host may import. The contracts, npm packages and `base` are always allowed. */
const HOST_MAY_IMPORT: Record<string, readonly string[]> = {
  base: [],
  testing: [],
  pty: [],
  shell: [],
  screen: [],
  claim: [],
  store: [],
  bus: [],
  auth: [],
  config: [],
  socket: ["auth"],
  keeper: ["pty", "auth"],
  recording: ["store", "shell"],
  command: ["shell"],
  terminal: ["pty", "shell", "screen", "command", "recording", "claim", "bus"],
  registry: ["terminal", "pty", "store", "bus"],
  service: ["registry"],
  operations: ["registry", "auth", "bus"],
  "transports/http": ["operations", "auth"],
  "transports/raw": ["operations", "auth", "socket"],
  "transports/ahp": ["operations", "auth", "socket"],
  "transports/ipc": ["operations", "auth"],
  "transports/files": ["operations", "auth"],
  "transports/mcp": ["operations", "auth"],
  daemon: ["*"],
  "(root)": ["*"], // host.ts and index.ts compose the library
};

const IMPORT = /(?:from|import)\s*\(?\s*["']([^"']+)["']/g;

const importsOf = (path: string): readonly string[] =>
  [...readFileSync(join(ROOT, path), "utf8").matchAll(IMPORT)].map((match) => match[1] ?? "");

function listSources(directory: string): readonly string[] {
  const absolute = join(ROOT, directory);
  if (!existsSync(absolute)) return [];
  return readdirSync(absolute, { recursive: true, encoding: "utf8" })
    .filter((path) => /\.(ts|tsx|mjs)$/.test(path) && !/(^|\/)(dist|node_modules)\//.test(path))
    .map((path) => join(directory, path));
}

const packageFiles = Object.keys(PACKAGE_MAY_IMPORT).flatMap((name) =>
  listSources(`packages/${name}/src`).map((path) => [name, path] as const),
);
const allFiles = [
  ...packageFiles.map(([, path]) => path),
  ...["scripts", "bench", "test"].flatMap(listSources),
];

test(`no file has more than ${MAX_LINES} lines`, () => {
  const lineCount = (path: string): number =>
    readFileSync(join(ROOT, path), "utf8").split("\n").length - 1;
  expect(allFiles.filter((path) => lineCount(path) > MAX_LINES)).toEqual([]);
});

describe("packages", () => {
  test("every package is in the table", () => {
    expect(new Set(readdirSync(join(ROOT, "packages")))).toEqual(
      new Set(Object.keys(PACKAGE_MAY_IMPORT)),
    );
  });

  test("import only packages they may", () => {
    const offenders = packageFiles.flatMap(([name, path]) =>
      importsOf(path)
        .filter((specifier) => specifier.startsWith("@nacre/"))
        .filter((specifier) => !PACKAGE_MAY_IMPORT[name]?.includes(specifier))
        .map((specifier) => `${path} imports ${specifier}`),
    );
    expect(offenders).toEqual([]);
  });

  test("import no file of another package by its path", () => {
    const offenders = packageFiles.flatMap(([name, path]) =>
      importsOf(path)
        .filter((specifier) => specifier.startsWith("."))
        .map((specifier) => normalize(join(dirname(path), specifier)))
        .filter((target) => !target.startsWith(`packages/${name}/src/`))
        .map((target) => `${path} imports ${target}`),
    );
    expect(offenders).toEqual([]);
  });
});

describe("folders of the host", () => {
  const hostFiles = listSources("packages/host/src").map((path) =>
    path.slice("packages/host/src/".length),
  );
  const folderOf = (file: string): string => {
    if (!file.includes("/")) return "(root)";
    const known = Object.keys(HOST_MAY_IMPORT).find((folder) => file.startsWith(`${folder}/`));
    return known ?? `unknown folder: ${dirname(file)}`;
  };
  const isTest = (file: string): boolean =>
    /\.(test|contract)\.ts$/.test(file) || /\/(contract|testing)\//.test(file);

  test("every folder is in the table", () => {
    const folders = new Set(hostFiles.map(folderOf));
    expect([...folders].filter((folder) => !(folder in HOST_MAY_IMPORT))).toEqual([]);
  });

  test("import only the folders they may", () => {
    const mayImport = (file: string, to: string): boolean => {
      const from = folderOf(file);
      const allowed = HOST_MAY_IMPORT[from] ?? [];
      if (to === from || to === "base" || allowed.includes("*") || allowed.includes(to))
        return true;
      return to === "testing" && isTest(file);
    };
    const offenders = hostFiles.flatMap((file) =>
      importsOf(join("packages/host/src", file))
        .filter((specifier) => specifier.startsWith("."))
        .map((specifier) => normalize(join(dirname(file), specifier)))
        .filter((target) => !mayImport(file, folderOf(target)))
        .map((target) => `${file} imports ${target}`),
    );
    expect(offenders).toEqual([]);
  });

  test("every folder is named in ARCHITECTURE.md", () => {
    const architecture = readFileSync(join(ROOT, "ARCHITECTURE.md"), "utf8");
    const folders = new Set(hostFiles.map(folderOf).filter((folder) => folder !== "(root)"));
    expect([...folders].filter((folder) => !architecture.includes(`${folder}/`))).toEqual([]);
  });
});
