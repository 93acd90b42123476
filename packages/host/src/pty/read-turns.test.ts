import { setImmediate as turn } from "node:timers/promises";
import { expect, test } from "vitest";
import { ReadTurns } from "./read-turns.ts";

test("a terminal that floods alone has the whole turn", async () => {
  const turns = new ReadTurns();
  expect(turns.take()).toBe(15);
  await turn();
  expect(turns.take()).toBe(15);
});

test("terminals that flood together share it, from the next turn on", async () => {
  const turns = new ReadTurns();
  for (let terminal = 0; terminal < 4; terminal++) turns.take();
  await turn();
  expect(turns.take()).toBe(3);
  for (let terminal = 1; terminal < 100; terminal++) turns.take();
  await turn();
  expect(turns.take()).toBe(0);
});
