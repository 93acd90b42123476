import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "..");
const pages = [
  ...readdirSync(ROOT),
  ...readdirSync(join(ROOT, "docs"), { recursive: true, encoding: "utf8" }).map((path) =>
    join("docs", path),
  ),
].filter((path) => path.endsWith(".md"));
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
      const output = execFileSync(join(ROOT, command), args, { encoding: "utf8" });
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

describe("examples", () => {
  test.each(blocksOf("ts"))(
    "%s: example %d prints what its comments say",
    (_page, _index, source) => {
      const args = ["--conditions=nacre-source", "--input-type=module-typescript", "-e", source];
      const output = execFileSync(process.execPath, args, { cwd: ROOT, encoding: "utf8" });
      const promised = [...source.matchAll(/console\.log\(.*\); \/\/ (.*)$/gm)].map(
        (match) => match[1] ?? "",
      );
      expect(promised.length).toBeGreaterThan(0);
      expect(output.split("\n")).toEqual(expect.arrayContaining(promised));
    },
  );
});
