import { expect, test } from "vitest";
import { ScreenWorker } from "./screen-worker.ts";
import type { CurrentTask } from "./screen-protocol.ts";

test("a thread that the system cannot start is as one that ended, for all that wait for it", async () => {
  const ends: string[] = [];
  const lost = Promise.withResolvers<CurrentTask | undefined>();
  // A worker of such a place is refused before there is a thread.
  const lane = new ScreenWorker(new URL("https://nothing.invalid"), (error) => {
    ends.push(error.name);
  });
  const id = lane.attach({
    handleDrawn: () => {},
    handleReport: () => {},
    handleLost: lost.resolve,
  });
  lane.post({ kind: "close", id });
  expect(ends).toEqual(["TypeError"]);
  expect(await lost.promise).toBeUndefined();
  expect(lane.size).toBe(0);
  await lane.close();
});
