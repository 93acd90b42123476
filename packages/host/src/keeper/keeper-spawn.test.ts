import { expect, test } from "vitest";
import type { Pty, PtyDriver } from "../pty/pty.ts";
import { Keeper } from "./keeper.ts";

test("a program that starts while the others are ended is ended as well", async () => {
  const starting = Promise.withResolvers<Pty>();
  const driver: PtyDriver = {
    name: "slow",
    spawn: () => starting.promise,
    list: () => Promise.resolve([]),
    adopt: () => starting.promise,
  };
  const added: unknown[] = [];
  const keeper = new Keeper({
    drivers: { terminal: driver, pipes: driver },
    version: "0.0.0-test",
    readPeer: () => undefined,
    handleTyped: () => undefined,
    report: () => undefined,
    programs: { add: (pty) => added.push(pty), remove: () => undefined, clear: () => undefined },
    answer: () => Promise.reject(new Error("nobody asks")),
    leavePlace: () => undefined,
    handleStopped: () => undefined,
  });
  const size = { cols: 80, rows: 24 };
  const launch = { file: "/bin/true", args: [], env: {}, cwd: "/", allowedRoots: [], size };
  const spawned = keeper.spawn("terminal", launch);
  await keeper.endPrograms(0);
  let isDisposed = false;
  const pty: Pick<Pty, typeof Symbol.asyncDispose> = {
    [Symbol.asyncDispose]: async () => void (isDisposed = true),
  };
  starting.resolve(pty as Pty);
  await expect(spawned).rejects.toMatchObject({ code: "unavailable" });
  expect({ isDisposed, added, kept: keeper.ptys }).toEqual({
    isDisposed: true,
    added: [],
    kept: [],
  });
});
