import { afterAll, expect, test } from "vitest";
import type { TerminalState } from "@nacre/contracts";
import { LOCAL_CALLER, type Terminal } from "@nacre/host";
import { isAlive } from "../support/is-alive.ts";
import { openHost } from "../support/open-host.ts";
import { entriesOf } from "../support/recorded-entries.ts";
import { shellNamed, shLine } from "../support/terminal-input.ts";
import { followed, outputOf, type, untilText, viewOf } from "../support/terminal-output.ts";

const host = await openHost();
afterAll(() => host[Symbol.asyncDispose]());

/** Long enough for a trap on a busy machine. */
const LONG_GRACE_MS = 20_000;

const exitOf = async (terminal: Terminal) =>
  (await entriesOf(host, terminal.id)).filter((entry) => entry.type === "exit");

test("an exit code is the same for everybody who asks", async () => {
  const terminal = await host.createTerminal(shLine("exit 7"));
  expect(await terminal.ended).toMatchObject({ exitCode: 7 });
  expect(await exitOf(terminal)).toMatchObject([{ exitCode: 7 }]);
  expect(await terminal.reader.read()).toMatchObject({
    state: "exited",
    connected: false,
    dead: true,
    exitCode: 7,
  });
  expect(terminal.summary).toMatchObject({ state: "exited", exitCode: 7 });
  expect(await terminal.reader.readOutput({})).toMatchObject({ ended: true, exitCode: 7 });
  expect((await followed(terminal)).at(-1)).toMatchObject({ entry: { exitCode: 7 } });
});

test.each(["SIGKILL", "SIGTERM", "SIGHUP"] as const)(
  "a program that %s ended has no exit code, least of all 0",
  async (signal) => {
    const terminal = await host.createTerminal(shLine("echo up; exec sleep 100"));
    await untilText(terminal, "up");
    await terminal.signal(signal, LOCAL_CALLER, "leader");
    const { exitCode } = await terminal.ended;
    expect(exitCode).toBeUndefined();
    expect(await exitOf(terminal)).toMatchObject([{ exitCode: null, signal }]);
    expect(await terminal.reader.read()).toMatchObject({ exitCode: null, signal, dead: true });
    expect(terminal.summary).toMatchObject({ exitCode: null, signal });
  },
);

test("an ended terminal stays listed and readable", async () => {
  const terminal = await host.createTerminal(shLine("echo last words"));
  await terminal.ended;
  expect(host.registry.find(terminal.id)).toBe(terminal);
  expect(host.registry.summaries()).toContainEqual(terminal.summary);
  expect(await outputOf(terminal)).toBe("last words\r\n");
  expect((await terminal.reader.readScreen("text")).text).toContain("last words");
  expect((await terminal.reader.readContent()).parts).toEqual([
    { kind: "unclassified", text: "last words\r\n" },
  ]);
  expect(await followed(terminal, {})).toMatchObject([
    { kind: "snapshot", screen: { sequence: terminal.lastSequence - 1 } },
    { kind: "entry", entry: { type: "exit", sequence: terminal.lastSequence } },
  ]);
});

test("a program that does not listen is ended by force after its grace time", async () => {
  const terminal = await host.createTerminal(
    shLine("trap '' TERM HUP; echo up; while :; do sleep 1; done"),
  );
  await untilText(terminal, "up");
  const report = await terminal.kill(LOCAL_CALLER, 200);
  expect(report).toMatchObject({ forced: true, survivors: [] });
  expect(terminal.isRunning).toBe(false);
  expect(await exitOf(terminal)).toMatchObject([{ exitCode: null, signal: "SIGKILL" }]);
});

test("killing reaches everything that was started, and reports it only when it is gone", async () => {
  const terminal = await host.createTerminal(
    shLine("sleep 999 & echo child $!; setsid sleep 998 & echo other $!; echo up; wait"),
  );
  await untilText(terminal, "up");
  const pids = [...(await outputOf(terminal)).matchAll(/(?:child|other) (\d+)/g)].map(([, pid]) =>
    Number(pid),
  );
  expect(pids.map(isAlive)).toEqual([true, true]);
  const { survivors } = await terminal.kill(LOCAL_CALLER);
  expect(survivors).toEqual([]);
  expect(pids.map(isAlive)).toEqual([false, false]);
  expect(terminal.status.state).toBe("exited");
});

test("what a program says while it is ended is not lost, also during a resize", async () => {
  const terminal = await host.createTerminal(
    shLine("trap 'echo cleaned up; exit 9' TERM; echo up; while :; do sleep 0.05; done"),
  );
  const following = followed(terminal);
  await untilText(terminal, "up");
  const resizes = Promise.allSettled(
    Array.from({ length: 5 }, (_, index) =>
      terminal.resize({ cols: 90 + index, rows: 30 }, LOCAL_CALLER),
    ),
  );
  await terminal.kill(LOCAL_CALLER, LONG_GRACE_MS);
  const refusals = (await resizes).filter(({ status }) => status === "rejected");
  for (const refusal of refusals) {
    expect(refusal).toMatchObject({ reason: { code: "terminal_exited" } });
  }
  expect(viewOf(await following)).toContain("cleaned up");
  expect(await exitOf(terminal)).toMatchObject([{ exitCode: 9 }]);
});

test("the life of a terminal can be followed: active, killing, exited", async () => {
  const terminal = await host.createTerminal(shLine("trap '' HUP; echo up; sleep 100"));
  const states: TerminalState[] = [terminal.status.state];
  using _ = terminal.onChange(() => {
    const { state } = terminal.status;
    if (states.at(-1) !== state) states.push(state);
  });
  await untilText(terminal, "up");
  await terminal.kill(LOCAL_CALLER);
  expect(states).toEqual(["active", "killing", "exited"]);
});

test("two who kill at the same time are both told when it is over", async () => {
  const terminal = await host.createTerminal(shLine("trap '' TERM; echo up; sleep 100"));
  await untilText(terminal, "up");
  await Promise.all([terminal.kill(LOCAL_CALLER, 100), terminal.kill(LOCAL_CALLER, 100)]);
  expect(await exitOf(terminal)).toHaveLength(1);
  await expect(terminal.kill(LOCAL_CALLER)).rejects.toMatchObject({ code: "terminal_exited" });
});

test("a child that keeps the terminal open does not keep the exit from being told", async () => {
  const terminal = await host.createTerminal(
    shLine("trap '' HUP; (sleep 100 & echo $!); echo said; exit 3"),
  );
  expect(await terminal.ended).toMatchObject({ exitCode: 3, drained: false });
  const output = await outputOf(terminal);
  expect(output).toContain("said");
  expect(await exitOf(terminal)).toMatchObject([{ exitCode: 3, drained: false }]);
  await host.registry.dispose(terminal.id);
  expect(isAlive(Number(/\d+/.exec(output)?.[0]))).toBe(false);
});

test("the command that ran when the program ended is over too", async () => {
  const terminal = await host.createTerminal(shellNamed("bash"));
  await type(terminal, "sleep 100\r");
  await expect.poll(() => terminal.commands.running?.commandLine).toBe("sleep 100");
  await terminal.kill(LOCAL_CALLER, 0);
  expect(terminal.commands.running).toBeUndefined();
  const entries = await entriesOf(host, terminal.id);
  expect(entries.at(-1)).toMatchObject({ type: "exit" });
  expect(entries.at(-2)).toMatchObject({ type: "commandEnd", endedBy: "exit" });
});

test("input that was not ended with a line is recorded before the exit, and everybody is told", async () => {
  const terminal = await host.createTerminal(shLine("cat"), {
    recording: { inputRecording: "lines" },
  });
  const following = followed(terminal);
  await type(terminal, "half a li");
  await terminal.kill(LOCAL_CALLER, 0);
  const entries = await entriesOf(host, terminal.id);
  expect(entries.slice(-2)).toMatchObject([
    { type: "input", data: new Uint8Array(Buffer.from("half a li")) },
    { type: "exit" },
  ]);
  expect((await following).at(-1)).toMatchObject({ entry: { type: "exit" } });
  expect(terminal.lastSequence).toBe(entries.at(-1)?.sequence);
});

test("nobody can change a terminal that ended", async () => {
  const terminal = await host.createTerminal(shLine("exit 0"));
  await terminal.ended;
  const before = await entriesOf(host, terminal.id);
  const wanted = { kind: "session", session: "s1" } as const;
  for (const attempt of [
    () => terminal.rename("x", LOCAL_CALLER),
    () => terminal.clear(LOCAL_CALLER),
    () => terminal.mark("x", LOCAL_CALLER),
    () => terminal.signal("SIGINT", LOCAL_CALLER),
  ]) {
    await expect(attempt()).rejects.toMatchObject({ code: "terminal_exited" });
  }
  await expect(terminal.claims.move({ wanted, by: LOCAL_CALLER })).rejects.toMatchObject({
    code: expect.stringMatching(/^terminal_/) as string,
  });
  expect(await entriesOf(host, terminal.id)).toEqual(before);
});
