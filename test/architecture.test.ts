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
    "@nacre/client/ui",
    "@nacre/host",
    "@nacre/host/text",
  ],
  web: ["@nacre/contracts", "@nacre/client", "@nacre/client/ui"],
};

/**
 * Which folders each folder of a package may import; `*` is all. The contracts, npm packages, `base` and, for tests,
 * `testing` are always allowed.
 */
const FOLDER_MAY_IMPORT: Record<string, Record<string, readonly string[]>> = {
  contracts: { "(root)": ["operations"], operations: ["(root)"] },
  client: {
    testing: ["(root)", "ui"],
    "(root)": [], // runs in a browser, too: nothing of node/
    ui: ["(root)"],
    node: ["(root)"],
  },
  host: {
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
    operations: ["registry", "auth", "bus"],
    "transports/http": ["operations", "auth"],
    "transports/raw": ["operations", "auth", "socket"],
    "transports/ahp": ["operations", "auth", "socket"],
    "transports/ipc": ["operations", "auth"],
    "transports/files": ["operations", "auth"],
    "transports/mcp": ["operations", "auth"],
    // A foreign API over the wires of two others; its class also serves programs in the same process, with a host of its own.
    "transports/terminal-service": [
      "operations",
      "auth",
      "socket",
      "transports/http",
      "transports/raw",
      "registry",
      "pty",
      "config",
      "(root)",
    ],
    daemon: ["*"],
    "(root)": ["*"], // host.ts and index.ts compose the library
  },
  cli: {
    testing: [],
    "(root)": ["commands"], // verbs.ts loads them
    live: ["(root)"],
    doctor: ["(root)"],
    commands: ["(root)", "live", "doctor"],
  },
  web: {
    parts: [],
    state: [],
    screen: ["state"],
    "terminal-controls": ["parts", "state"],
    terminals: ["parts", "state", "terminal-controls"],
    past: ["parts", "state", "screen"],
    terminal: ["parts", "state", "screen", "terminal-controls", "past"],
    app: ["*"],
    "(root)": ["app", "state"],
  },
};

const IMPORT = /(?:from|import)\s*\(?\s*["']([^"']+)["']/g;

/** An import that is there at run time, before anything of the file runs. */
const STATIC_IMPORT = /^(?:import|export)\s(?!type\b)[^;"']*["'](\.[^"']+)["']/gm;

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

describe("folders", () => {
  const files = packageFiles.map(([name, path]) => ({
    name,
    path,
    file: path.slice(`packages/${name}/src/`.length),
  }));
  const folderOf = (name: string, file: string): string => {
    if (!file.includes("/")) return "(root)";
    const known = Object.keys(FOLDER_MAY_IMPORT[name] ?? {});
    return known.find((folder) => file.startsWith(`${folder}/`)) ?? dirname(file);
  };
  const isTest = (file: string): boolean =>
    /\.(test|contract)\.ts$/.test(file) || /(^|\/)(contract|testing)\//.test(file);

  test("are all in the table", () => {
    const unknown = files
      .filter(({ name, file }) => !(folderOf(name, file) in (FOLDER_MAY_IMPORT[name] ?? {})))
      .map(({ path }) => dirname(path));
    expect([...new Set(unknown)]).toEqual([]);
  });

  test("import only the folders they may", () => {
    const mayImport = (name: string, file: string, to: string): boolean => {
      const from = folderOf(name, file);
      const allowed = FOLDER_MAY_IMPORT[name]?.[from] ?? [];
      if (to === from || to === "base" || allowed.includes("*") || allowed.includes(to))
        return true;
      return to === "testing" && isTest(file);
    };
    const offenders = files.flatMap(({ name, path, file }) =>
      importsOf(path)
        .filter((specifier) => specifier.startsWith("."))
        .map((specifier) => normalize(join(dirname(file), specifier)))
        .filter((target) => !mayImport(name, file, folderOf(name, target)))
        .map((target) => `${path} imports ${target}`),
    );
    expect(offenders).toEqual([]);
  });

  test("of the host are named in ARCHITECTURE.md", () => {
    const architecture = readFileSync(join(ROOT, "ARCHITECTURE.md"), "utf8");
    const folders = Object.keys(FOLDER_MAY_IMPORT["host"] ?? {});
    const isNamed = (folder: string): boolean => architecture.includes(`${folder}/`);
    expect(folders.filter((folder) => folder !== "(root)" && !isNamed(folder))).toEqual([]);
  });
});

test("folders of test/ import only test/support from each other", () => {
  const folderOf = (path: string): string => path.split("/").slice(0, 2).join("/");
  // One of the measured promises is that the simulation finds nothing.
  const isAllowed = (from: string, to: string): boolean =>
    to === "test/support" || (from === "test/reliability" && to === "test/simulation");
  const offenders = listSources("test").flatMap((path) =>
    importsOf(path)
      .filter((specifier) => specifier.startsWith("."))
      .map((specifier) => normalize(join(dirname(path), specifier)))
      .filter((target) => target.startsWith("test/") && folderOf(target) !== folderOf(path))
      .filter((target) => !isAllowed(folderOf(path), folderOf(target)))
      .map((target) => `${path} imports ${target}`),
  );
  expect(offenders).toEqual([]);
});

test("no files of packages import each other in a circle", () => {
  const graph = new Map(
    packageFiles.map(([, path]) => [
      path,
      [...readFileSync(join(ROOT, path), "utf8").matchAll(STATIC_IMPORT)].map((match) =>
        normalize(join(dirname(path), match[1] ?? "")),
      ),
    ]),
  );
  expect(circlesIn(graph)).toEqual([]);
});

/** Every circle that a depth-first walk runs into, as the way round. */
function circlesIn(graph: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const circles: string[] = [];
  const done = new Set<string>();
  const visit = (path: string, way: readonly string[]): void => {
    if (way.includes(path)) circles.push([...way.slice(way.indexOf(path)), path].join(" → "));
    if (done.has(path) || way.includes(path)) return;
    for (const target of graph.get(path) ?? []) visit(target, [...way, path]);
    done.add(path);
  };
  for (const path of graph.keys()) visit(path, []);
  return circles;
}
