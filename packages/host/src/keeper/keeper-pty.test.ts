import { afterAll, expect, test } from "vitest";
import { PIPES_CANNOT, rawByNature } from "../pty/contract/pipes.ts";
import { ascii, scriptLaunch } from "../pty/contract/tools.ts";
import { ptyContract } from "../pty/pty.contract.ts";
import { createKeeperDriver } from "./keeper-driver.ts";
import { TestKeeper } from "./testing/test-keeper.ts";

const keeper = await TestKeeper.start();
const { link, driver } = await keeper.openDriver();
const pipes = createKeeperDriver(link, "pipes");
afterAll(async () => {
  link[Symbol.dispose]();
  await keeper[Symbol.asyncDispose]();
});

ptyContract(driver, new Map());
ptyContract(rawByNature(pipes), PIPES_CANNOT);

test("standard output and standard error come apart, and the input has an end", async () => {
  await using pty = await pipes.spawn(scriptLaunch("printf one; read x; printf $x >&2; read y"));
  expect(await pty.read()).toEqual({ offset: 0, bytes: new Uint8Array(ascii("one")) });
  await pty.write(ascii("two\n"));
  const second = { offset: 3, bytes: new Uint8Array(ascii("two")), stream: "stderr" };
  expect(await pty.read()).toEqual(second);
  await pty.endInput?.();
  expect(await pty.exited).toEqual({ exitCode: 1, outputBytes: 6, drained: true });
});
