import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { makeHome, nacre } from "./testing/nacre-process.ts";

vi.setConfig({ testTimeout: 90_000 });

const env = { NACRE_ALLOW_ROOT: "true", NACRE_KEEPER: "off" };

test.each([
  ["ls"],
  ["search", "x"],
  ["status"],
  ["screen", "build"],
  ["history", "build"],
  ["inbox"],
  ["rm", "build"],
  ["stop"],
])("a home that is not there is named by `nacre %s`, which makes nothing", (...words) => {
  const above = makeHome();
  const home = join(above, "typo/x");
  const { status, stderr } = nacre(words, { home, env });
  expect(stderr).toContain(`NACRE_HOME: ${home} does not exist`);
  expect(stderr).toContain("`nacre new`");
  expect(status).toBe(7);
  expect(existsSync(join(above, "typo"))).toBe(false);
});

test("what begins something makes it", () => {
  const home = join(makeHome(), "new/x");
  onTestFinished(() => void nacre(["stop"], { home, env }));
  expect(nacre(["exec", "--", "echo", "made"], { home, env })).toMatchObject({ status: 0 });
  expect(existsSync(home)).toBe(true);
});
