import { expect, test } from "vitest";
import { playActions } from "./player.ts";

test("keys are known in either spelling, and others mean nothing", () => {
  const actions = playActions(Buffer.from(" .[]<>\x1b[C\x1bOD\x1b[H\x1b[4~\x1b[5~xq"));
  expect(actions).toEqual([
    "pause",
    "step",
    "previousChapter",
    "nextChapter",
    "slower",
    "faster",
    "forward",
    "back",
    "start",
    "end",
    "quit",
  ]);
});
