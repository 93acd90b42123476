import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

/** Everything that a page loads. */
const files = readdirSync(import.meta.dirname, { recursive: true, encoding: "utf8" }).filter(
  (path) => path.endsWith(".ts") && !/^(node|testing)\/|\.test\.ts$/.test(path),
);

test.each(files)("%s needs nothing that a browser does not have", (path) => {
  const text = readFileSync(join(import.meta.dirname, path), "utf8");
  expect(text).not.toMatch(/from "(node:|\.\/node\/|\.\/testing\/)|\b(Buffer|process|require)\b/);
});
