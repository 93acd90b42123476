import { afterAll, beforeAll, expect, test } from "vitest";
import { requireProgram } from "../../packages/host/src/testing/require-program.ts";
import { type Bundle, bundlePrograms } from "../support/bundle-programs.ts";
import { canMakeDisks } from "../support/small-disk.ts";
import { tryLimits } from "./edit-trials.ts";
import { RECORDING_SOURCES, recordingTargets } from "./targets.ts";

const SCALE = 0.05;

let bundle: Bundle;
beforeAll(async () => {
  bundle = await bundlePrograms(RECORDING_SOURCES);
});
afterAll(() => bundle[Symbol.dispose]());

test.for(["a recording that was edited", "a file that was damaged"])(
  "the target of %s is met in a short run",
  { timeout: 60_000 },
  async (name) => {
    expect(await measured(name)).toEqual(expect.any(String));
  },
);

test.for(["a disk that fails", "a migration that ends early"])(
  "the target of %s is met in a short run",
  { timeout: 180_000 },
  async (name, context) => {
    requireProgram(context, "strace");
    expect(await measured(name)).toEqual(expect.any(String));
  },
);

test("the target of a disk that is full is met", { timeout: 60_000 }, async (context) => {
  requireProgram(context, "unshare");
  requireProgram(context, "mount");
  // A small disk of its own needs a mount, which people without that right cannot make; CI can and must.
  if (!canMakeDisks()) {
    const reason = "this user may not mount file systems";
    if (process.env["CI"] === "true") throw new Error(`${reason}, and CI=true allows no skipping`);
    context.skip(reason);
  }
  expect(await measured("a disk that is full")).toEqual(expect.any(String));
});

/** A target that is missed throws. */
async function measured(name: string): Promise<string | undefined> {
  const target = recordingTargets(bundle).find((one) => one.name === name);
  return target?.measure({ scale: SCALE, seed: 1, progress: () => {} });
}

test("what an edit can hide is known: that there was a seal, where a recording began, and all of it from who makes a new seal", () => {
  const verdicts = Object.fromEntries(tryLimits());
  expect(verdicts).toEqual({
    "the seal is dropped": expect.objectContaining({ ok: true, sealed: false }),
    "the beginning is dropped with a fitting anchor": expect.objectContaining({
      ok: true,
      firstSequence: 6,
    }),
    "an entry is changed, and all hashes and the seal are made to fit": expect.objectContaining({
      ok: true,
      sealed: true,
    }),
  });
});
