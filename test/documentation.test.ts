import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { KEPT_CODE } from "../packages/host/src/testing/kept-code.ts";
import { ownDirectory } from "./support/own-directory.ts";

const ROOT = join(import.meta.dirname, "..");

/** What is shown runs against a daemon of its own. */
const own = ownDirectory();
const home = own.path;
const env = {
  ...process.env,
  ...KEPT_CODE,
  PATH: `${dirname(process.execPath)}:${process.env["PATH"] ?? ""}`,
  HOME: home,
  NACRE_HOME: join(home, "nacre"),
  NACRE_PORT: "0",
  NACRE_ALLOW_ROOT: "true",
  NACRE_AGENT_DIRECTORIES: "guide",
};
let daemon: ChildProcess | undefined;

beforeAll(async () => {
  daemon = spawn(join(ROOT, "bin/nacre"), ["serve"], { env, stdio: ["ignore", "pipe", "ignore"] });
  if (daemon.stdout) await once(daemon.stdout, "data");
}, 30_000);

afterAll(async () => {
  if (daemon?.exitCode === null && daemon.kill()) await once(daemon, "exit");
  own[Symbol.dispose]();
});
const pages = [
  ...readdirSync(ROOT),
  ...readdirSync(join(ROOT, "docs"), { recursive: true, encoding: "utf8" }).map((path) =>
    join("docs", path),
  ),
  ...readdirSync(join(ROOT, "packages")).map((name) => join("packages", name, "README.md")),
].filter((path) => path.endsWith(".md") && existsSync(join(ROOT, path)));
const read = (page: string): string => readFileSync(join(ROOT, page), "utf8");

/** The fenced blocks of one language in all pages. */
const blocksOf = (language: string) =>
  pages.flatMap((page) =>
    [...read(page).matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, "gms"))].map(
      (match, index) => [page, index + 1, match[1] ?? ""] as const,
    ),
  );

describe("links", () => {
  test.each(pages)("every file that %s links to exists", (page) => {
    const targets = [...read(page).matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(
      (match) => match[1] ?? "",
    );
    expect(targets.filter((target) => !existsSync(join(ROOT, dirname(page), target)))).toEqual([]);
  });
});

test.each(pages)("%s has no placeholder left", (page) => {
  expect(read(page)).not.toMatch(/^[A-Z]{3,}$|\bTBD\b/m);
});

describe("commands", () => {
  const lines = blocksOf("sh").flatMap(([page, , block]) =>
    block
      .trim()
      .split("\n")
      .map((line) => [page, line] as const),
  );

  test.each(lines.filter(([, line]) => line.startsWith("bin/nacre")))(
    "%s: %s works",
    (_page, line) => {
      const [command = "", ...args] = line.split(" ");
      const output = execFileSync(join(ROOT, command), args, { encoding: "utf8", env });
      expect(output).not.toBe("");
    },
  );

  test("every npm script that a page names exists", () => {
    const { scripts } = JSON.parse(read("package.json")) as { scripts: Record<string, string> };
    const named = pages.flatMap((page) =>
      [...read(page).matchAll(/\bnpm (?:run )?(start|test|(?<=run )[a-z:]+)/g)].map(
        (match) => match[1] ?? "",
      ),
    );
    expect(named).toContain("bench");
    expect(named.filter((name) => !Object.hasOwn(scripts, name))).toEqual([]);
  });

  test("what is neither of them is not shown as a command", () => {
    const known = /^(bin\/nacre|npm (start|test|run [a-z:]+))\b/;
    expect(lines.filter(([, line]) => !known.test(line))).toEqual([]);
  });
});

describe("scripts", () => {
  const scripts = Map.groupBy(blocksOf("bash"), ([page]) => page);
  const promise = /^(.*) # (.+)$/;

  /** Some start dozens of programs, which a busy machine takes its time for. */
  const timeout = 300_000;

  test.each([...scripts])(
    "what %s shows line by line prints what its comments say",
    { timeout },
    (page) => {
      const lines = (scripts.get(page) ?? []).flatMap(([, , block]) => block.trim().split("\n"));
      const promised = lines.flatMap((line) => promise.exec(line)?.[2] ?? []);
      const script = lines
        .map((line) => line.replace(promise, 'printf "%s\\n" "$($1)"'))
        .join("\n");
      const output = execFileSync("bash", ["-e", "-c", script], {
        cwd: ROOT,
        encoding: "utf8",
        env,
      });
      expect(promised.length).toBeGreaterThan(0);
      expect(output.trim().split("\n")).toEqual(promised);
    },
  );
});

describe("examples", () => {
  /** How pages say that an example is run in a checkout. */
  const commands = pages.flatMap((page) =>
    [...read(page).matchAll(/`(node_modules\/\.bin\/node .*?)example\.ts`/g)].map(
      (match) => match[1] ?? "",
    ),
  );
  const [command = "", ...flags] = (commands[0] ?? "").trim().split(" ");

  test("every page says the same of how they are run", () => {
    expect(commands.length).toBeGreaterThan(1);
    expect(new Set(commands).size).toBe(1);
  });

  test.each(blocksOf("ts"))(
    "%s: example %d prints what its comments say",
    (_page, _index, source) => {
      const args = [...flags, "--input-type=module-typescript", "-e", source];
      const output = execFileSync(command, args, { cwd: ROOT, encoding: "utf8", env });
      const promised = [...source.matchAll(/console\.log\(.*\); \/\/ (.*)$/gm)].map(
        (match) => match[1] ?? "",
      );
      expect(promised.length).toBeGreaterThan(0);
      expect(output.split("\n")).toEqual(expect.arrayContaining(promised));
    },
  );
});
