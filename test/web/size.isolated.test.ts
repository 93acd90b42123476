import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";

const PAGE = join(import.meta.dirname, "../../packages/host/page");

/** What a person on a slow line waits for. */
const MAX_BYTES = 350 * 1024;

test("everything the page ever loads is small", () => {
  const files = readdirSync(PAGE).filter((name) => !name.startsWith("."));
  expect(files).toContain("app.js");
  const bytes = files.map((name) => gzipSync(readFileSync(join(PAGE, name))).length);
  expect(bytes.reduce((sum, one) => sum + one, 0)).toBeLessThan(MAX_BYTES);
});
