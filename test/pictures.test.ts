// The pictures of the documentation can be taken at any time, of the page as it is now.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { requireProgram } from "../packages/host/src/testing/require-program.ts";
import { ownDirectory } from "./support/own-directory.ts";

const ROOT = join(import.meta.dirname, "..");
const NAMES = ["terminal.png", "terminals.png"];
const MAX_BYTES = 200_000;
const PNG = [0x89, 0x50, 0x4e, 0x47];

const isPicture = (path: string): boolean =>
  existsSync(path) && readFileSync(path).subarray(0, PNG.length).equals(Buffer.from(PNG));

test("the pictures in the documentation are pictures, and small", () => {
  const kept = NAMES.map((name) => join(ROOT, "docs/images", name));
  expect(kept.filter((path) => !isPicture(path) || statSync(path).size > MAX_BYTES)).toEqual([]);
});

test("they are taken of a real page", { timeout: 120_000 }, async (context) => {
  requireProgram(context, "chromium");
  using own = ownDirectory();
  const args = ["--conditions=nacre-source", "scripts/take-pictures.ts", own.path];
  execFileSync(process.execPath, args, { cwd: ROOT, stdio: "pipe" });
  expect(NAMES.filter((name) => !isPicture(join(own.path, name)))).toEqual([]);
});
