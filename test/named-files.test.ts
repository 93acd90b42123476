import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "..");

const files = execFileSync("git", ["ls-files"], { cwd: ROOT, encoding: "utf8" }).split("\n");
const names = new Set(files.map((path) => basename(path)));
const pages = files.filter(
  (path) => /^(ARCHITECTURE|CONTRIBUTING)\.md$/.test(path) || /^packages\/.*README\.md$/.test(path),
);

test("every source file that a page names exists", () => {
  const offenders = pages.flatMap((page) => {
    const text = readFileSync(join(ROOT, page), "utf8");
    return [...text.matchAll(/(?<![\w*<>.-])([a-z][a-z0-9-]*(?:\.[a-z]+)*\.(?:ts|tsx|mjs))\b/g)]
      .map((match) => match[1] ?? "")
      .filter((name) => !names.has(name))
      .map((name) => `${page} names ${name}`);
  });
  expect([...new Set(offenders)]).toEqual([]);
});
