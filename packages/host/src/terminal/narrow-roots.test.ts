import { mkdir, mkdtemp, realpath, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { narrowRoots } from "./launch-terminal.ts";

const root = await realpath(await mkdtemp(join(tmpdir(), "nacre-roots-")));
afterAll(() => rm(root, { recursive: true, force: true }));
const at = (path: string): string => join(root, path);
await mkdir(at("a/inner"), { recursive: true });
await mkdir(at("b"));
await symlink(at("b"), at("a/link"));

test.each([
  ["anywhere is narrowed to what is asked", [], ["a"], ["a"]],
  ["a root inside an allowed one stays", ["a"], ["a/inner"], ["a/inner"]],
  ["a root around an allowed one becomes that", ["a/inner"], ["a"], ["a/inner"]],
  ["what is not allowed is left out", ["a"], ["b", "a/inner"], ["a/inner"]],
  ["the same root stays once", ["a"], ["a"], ["a"]],
  ["a link counts as where it leads", ["b"], ["a/link"], ["b"]],
])("%s", async (_what, allowed, asked, expected) => {
  expect(await narrowRoots(allowed.map(at), asked.map(at))).toEqual(expected.map(at));
});

test.each([
  ["nothing in common", ["a"], ["b"]],
  ["a link that leads out", ["a"], ["a/link"]],
  ["a name that only begins alike", ["a"], ["ab"]],
  ["no root at all", [], []],
])("%s is refused, for an empty list would mean anywhere", async (_what, allowed, asked) => {
  await expect(narrowRoots(allowed.map(at), asked.map(at))).rejects.toMatchObject({
    code: "cwd_forbidden",
    field: "workingDirectory",
  });
});
