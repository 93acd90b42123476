import { afterAll, expect, test, vi } from "vitest";
import { ascii, PIPES_CANNOT, rawByNature, scriptLaunch } from "../pty/contract/pty-fixtures.ts";
import { ptyContract } from "../pty/pty.contract.ts";
import { createKeeperDriver } from "./keeper-pty.ts";
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

test("how much waits for a program is known before something is typed, also when it takes nothing", async () => {
  await using pty = await driver.spawn(scriptLaunch("stty raw -echo; printf ready; exec sleep 60"));
  await pty.read();
  const asked = vi.spyOn(pty, "state");
  for (let written = 0; written < 200_000; written += 1000) {
    const state = await pty.inputState?.(1000);
    expect(state).toMatchObject({ echo: false, canonical: false });
    expect(state?.queuedInputBytes).toBeLessThanOrEqual(written);
    await pty.write(new Uint8Array(1000));
  }
  // What the kernel takes is not known here, so that there is more to ask from here on.
  const { queuedInputBytes } = await pty.state();
  expect(queuedInputBytes).toBeGreaterThan(100_000);
  expect((await pty.inputState?.(1))?.queuedInputBytes).toBe(queuedInputBytes);
  expect(asked.mock.calls.length).toBeGreaterThan(150);
});

test("what was written while the keeper was asked how much waits counts as waiting", async () => {
  await using pty = await driver.spawn(scriptLaunch("stty raw -echo; printf ready; exec sleep 60"));
  await pty.read();
  const written = new Uint8Array(200_000);
  await Promise.all([pty.state(), pty.write(written)]);
  expect((await pty.inputState?.(1))?.queuedInputBytes).toBeGreaterThan(100_000);
});

test("who types a little asks the kernel, not the keeper", async () => {
  await using pty = await driver.spawn(scriptLaunch("stty raw -echo; printf ready; exec cat"));
  await pty.read();
  await pty.inputState?.(1);
  const asked = vi.spyOn(pty, "state");
  for (const key of "some keys") {
    expect(await pty.inputState?.(1)).toMatchObject({ echo: false, canonical: false });
    await pty.write(ascii(key));
  }
  expect(asked).not.toHaveBeenCalled();
});

test("standard output and standard error come apart, and the input has an end", async () => {
  await using pty = await pipes.spawn(scriptLaunch("printf one; read x; printf $x >&2; read y"));
  expect(await pty.read()).toEqual({ offset: 0, bytes: new Uint8Array(ascii("one")) });
  await pty.write(ascii("two\n"));
  const second = { offset: 3, bytes: new Uint8Array(ascii("two")), stream: "stderr" };
  expect(await pty.read()).toEqual(second);
  await pty.endInput?.();
  expect(await pty.exited).toEqual({ exitCode: 1, outputBytes: 6, drained: true });
});

test("a keeper hears of what was taken before the smallest window there ever was is full", async () => {
  const windowBytes = 64 * 1024;
  const told = vi.spyOn(link, "consume");
  const script = `stty raw; head -c ${windowBytes} /dev/zero; exec sleep 60`;
  await using pty = await driver.spawn(scriptLaunch(script));
  for (let taken = 0; taken < windowBytes;) taken += (await pty.read())?.bytes.byteLength ?? 0;
  expect(told.mock.lastCall?.[1]).toBe(windowBytes);
});
