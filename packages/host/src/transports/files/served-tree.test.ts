import { rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { CommitDetector } from "./commit-detector.ts";
import { ServedTree } from "./served-tree.ts";
import { ownDirectory } from "./testing/own-directory.ts";

test("a request that comes as soon as the directory is there counts", async () => {
  await using place = await ownDirectory();
  const handleProblem = (error: unknown): void => {
    throw error;
  };
  await using served = new ServedTree(join(place.path, "terminal"), handleProblem);
  const file = new CommitDetector({ stableMs: 50, incompleteMs: 1000 });
  const path = join(place.path, "terminal/control/exec.json");
  await served.current(async (_tree, { taken }) => {
    await writeFile(join(place.path, "draft"), '{"command":"true"}');
    await rename(join(place.path, "draft"), path);
    await file.reset(path, taken.exec);
  });
  expect(await file.poll({ path, nowMs: 0, hasRoom: true })).toMatchObject({ kind: "object" });
});
