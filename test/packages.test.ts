import { execFile, execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { z } from "zod";
import { ownDirectory } from "./support/own-directory.ts";

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
  "re2js",
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

/** Packing and installing takes as long as the registry takes. */
const MAX_INSTALL_MS = 180_000;

/** A directory that goes with the test, with what is installed in it. */
class EmptyProject implements AsyncDisposable {
  readonly #own = ownDirectory();
  readonly path = this.#own.path;
  readonly #env = {
    ...process.env,
    PATH: `${dirname(process.execPath)}:${process.env["PATH"] ?? ""}`,
    NACRE_HOME: join(this.path, "home"),
    NACRE_PORT: "0",
    NACRE_ALLOW_ROOT: "true",
    NODE_OPTIONS: "",
  };

  run(command: string, ...args: readonly string[]): string {
    const options = { cwd: this.path, env: this.#env, encoding: "utf8" } as const;
    return execFileSync(command, args, options);
  }

  /** Runs a program that is told something on standard input. */
  async tell(said: string, command: string, ...args: readonly string[]): Promise<string> {
    const running = promisify(execFile)(command, args, { cwd: this.path, env: this.#env });
    running.child.stdin?.end(said);
    return (await running).stdout;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      await this.tell("", "npx", "nacre", "stop");
    } catch {
      // It may not have come so far that a daemon runs.
    }
    this.#own[Symbol.dispose]();
  }
}

test(
  "what is published can be installed without scripts into an empty directory, and works there",
  async () => {
    await using project = new EmptyProject();
    const tarballs = join(project.path, "tarballs");
    mkdirSync(tarballs);
    execFileSync(process.execPath, ["node_modules/typescript/bin/tsc", "-b"], { cwd: ROOT });
    const published = ["contracts", "client", "host", "cli"].flatMap((name) => [
      "-w",
      `packages/${name}`,
    ]);
    // Scripts of others never run here; our own builds the page that goes into the package.
    execFileSync(
      "npm",
      ["pack", "--silent", "--ignore-scripts=false", "--pack-destination", tarballs, ...published],
      {
        cwd: ROOT,
      },
    );
    writeFileSync(join(project.path, "package.json"), '{"name":"empty","private":true}');
    const files = readdirSync(tarballs).map((file) => join(tarballs, file));
    expect(files).toHaveLength(4);
    const quiet = ["--ignore-scripts", "--prefer-offline", "--no-audit", "--no-fund", "--silent"];
    project.run("npm", "install", ...quiet, ...files);

    expect(project.run("npx", "nacre", "exec", "--", "echo", "hi")).toBe("hi\n");
    expect(project.run("npx", "nacre", "ls")).toContain("No terminal");

    const hello = {
      jsonrpc: "2.0",
      id: 1,
      method: "initialize",
      params: {
        protocolVersion: "2025-06-18",
        capabilities: {},
        clientInfo: { name: "test", version: "1" },
      },
    };
    const answer = await project.tell(`${JSON.stringify(hello)}\n`, "npx", "nacre", "mcp");
    expect(JSON.parse(answer)).toMatchObject({ id: 1, result: { serverInfo: { name: "nacre" } } });

    const program = `
      import { createHost } from "@nacre/host";
      await using host = await createHost();
      const owner = { entityName: "Task", entityId: "1" };
      const { exitCode, output } = await host.exec({ owner, workingDirectory: "/", command: "echo", args: ["hi"] });
      console.log(exitCode, output.text.trim());
    `;
    const printed = project.run("node", "--input-type=module", "-e", program);
    expect(printed).toBe("0 hi\n");
    // The page that the daemon serves comes with it.
    const { url } = (
      JSON.parse(project.run("npx", "nacre", "web", "--json")) as { result: { url: string } }
    ).result;
    expect(await (await fetch(url)).text()).toContain('src="/app.js"');
    for (const file of ["app.js", "app.css", "screen.js"]) {
      expect((await fetch(new URL(file, url))).status).toBe(200);
    }
  },
  MAX_INSTALL_MS,
);
