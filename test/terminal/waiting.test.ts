// What can be waited for in a terminal, and commands that are run to their end.
import { afterAll, expect, test } from "vitest";
import type { ExecInput, WaitCondition } from "@nacre/contracts";
import { LOCAL_CALLER, type Terminal } from "@nacre/host";
import { isAlive } from "../support/is-alive.ts";
import { openHost } from "../support/open-host.ts";
import { entriesOf } from "../support/recorded-entries.ts";
import { OWNER, shellNamed, shLine } from "../support/terminal-input.ts";
import { DEADLINE_MS, outputOf, type, untilText } from "../support/terminal-output.ts";

const host = await openHost();
afterAll(() => host[Symbol.asyncDispose]());

const waitFor = (terminal: Terminal, condition: WaitCondition, after?: number) =>
  terminal.wait({ until: [condition], after, timeoutMs: DEADLINE_MS });

/** A terminal that writes what is typed, once it is ready. */
async function startCat(): Promise<Terminal> {
  const terminal = await host.createTerminal(shLine("stty raw -echo; echo ready; cat"));
  await untilText(terminal, "ready");
  return terminal;
}

test("a text is found, also across two pieces of output and between colours", async () => {
  const terminal = await startCat();
  const waiting = waitFor(terminal, { kind: "text", text: "needle here" });
  await type(terminal, "nee");
  await type(terminal, "\u001b[31mdle\u001b[0m h");
  await type(terminal, "ere\n");
  expect(await waiting).toMatchObject({ outcome: "text", match: "needle here" });
});

test("only what comes from now on counts, unless the waiting begins earlier", async () => {
  const terminal = await startCat();
  const now = await terminal.wait({ until: [{ kind: "text", text: "ready" }], timeoutMs: 50 });
  expect(now.outcome).toBe("timeout");
  expect(await waitFor(terminal, { kind: "text", text: "ready" }, 0)).toMatchObject({
    outcome: "text",
  });
});

test("a pattern is found with what it matched, and a waiting can go on behind it", async () => {
  const terminal = await startCat();
  await type(terminal, "took 12 ms\ntook 345 ms\n");
  const first = await waitFor(terminal, { kind: "regex", pattern: "took \\d\\d\\d ms" }, 0);
  expect(first).toMatchObject({ outcome: "regex", match: "took 345 ms" });
  const again = await terminal.wait({
    until: [{ kind: "regex", pattern: "took" }],
    after: first.sequence,
    timeoutMs: 50,
  });
  expect(again.outcome).toBe("timeout");
});

test("a pattern that would take for ever is refused instead of holding up everybody", async () => {
  const terminal = await startCat();
  const waiting = waitFor(terminal, { kind: "regex", pattern: "^(a+)+$" });
  await type(terminal, `${"a".repeat(2000)}!\n`);
  await expect(waiting).rejects.toMatchObject({
    code: "invalid_argument",
    field: "until.0.pattern",
  });
  await expect(waitFor(terminal, { kind: "regex", pattern: "(" })).rejects.toMatchObject({
    code: "invalid_argument",
    field: "until.0.pattern",
  });
});

test("silence is told after the last output, not after the first", async () => {
  const terminal = await host.createTerminal(
    shLine("for i in 1 2 3 4 5; do echo line $i; sleep 0.3; done; cat"),
  );
  await untilText(terminal, "line 1");
  const { outcome } = await waitFor(terminal, { kind: "idle", quietMs: 1000 });
  expect(outcome).toBe("idle");
  expect(await outputOf(terminal)).toContain("line 5");
});

test("a screen that stays the same is told, although output goes on", async () => {
  const terminal = await host.createTerminal(
    shLine("echo drawn; while :; do printf '\\033[s\\033[u'; sleep 0.02; done"),
  );
  await untilText(terminal, "drawn");
  const both = await terminal.wait({
    until: [
      { kind: "idle", quietMs: 3000 },
      { kind: "screenStable", quietMs: 300 },
    ],
    timeoutMs: DEADLINE_MS,
  });
  expect(both.outcome).toBe("screenStable");
});

test("the prompt of a shell, and the end of a command with its code, are told", async () => {
  const terminal = await host.createTerminal(shellNamed("bash"));
  const { outcome, sequence } = await waitFor(terminal, { kind: "prompt" });
  expect(outcome).toBe("prompt");
  await type(terminal, "(exit 3)\r");
  const ended = await waitFor(terminal, { kind: "commandEnd" }, sequence);
  expect(ended).toMatchObject({
    outcome: "commandEnd",
    command: { commandLine: "(exit 3)", exitCode: 3, quality: "exact" },
  });
  // The prompt that was there before the command does not count any more.
  const next = await waitFor(terminal, { kind: "prompt" }, ended.sequence);
  expect(next.outcome).toBe("prompt");
  const other = ended.command?.commandId;
  const again = terminal.wait({
    until: [{ kind: "commandEnd", commandId: other }],
    after: ended.sequence,
    timeoutMs: 200,
  });
  await type(terminal, "true\r");
  expect((await again).outcome).toBe("timeout");
});

test("the exit of the program ends every waiting, and is found later too", async () => {
  const terminal = await host.createTerminal(shLine("read line; exit 0"));
  const forExit = waitFor(terminal, { kind: "exit" });
  const forText = waitFor(terminal, { kind: "text", text: "never" });
  await type(terminal, "\n");
  expect(await forExit).toMatchObject({ outcome: "exit", sequence: terminal.lastSequence });
  expect((await forText).outcome).toBe("exit");
  expect((await waitFor(terminal, { kind: "exit" }, 0)).outcome).toBe("exit");
  expect((await waitFor(terminal, { kind: "exit" })).outcome).toBe("exit");
});

test("that a program asks for a line is told, with what it asks for", async () => {
  const terminal = await host.createTerminal(shellNamed("bash"));
  await waitFor(terminal, { kind: "prompt" });
  await type(terminal, "read -p 'Name: ' name\r");
  expect(await waitFor(terminal, { kind: "inputNeeded" })).toMatchObject({
    outcome: "inputNeeded",
    inputNeeded: { kind: "line" },
  });
  expect((await terminal.reader.read()).inputNeeded).toMatchObject({ kind: "line" });
  await type(terminal, "ada\r");
  const prompt = await waitFor(terminal, { kind: "prompt" });
  expect(prompt.outcome).toBe("prompt");
  expect(await terminal.reader.read()).not.toHaveProperty("inputNeeded");
});

test("a waiting ends at its deadline, and tells how far it looked", async () => {
  const terminal = await startCat();
  const result = await terminal.wait({ until: [{ kind: "exit" }], timeoutMs: 20 });
  expect(result).toEqual({ outcome: "timeout", sequence: terminal.lastSequence });
  expect(terminal.status.viewers).toBe(0);
});

test("of several conditions the first that is met counts", async () => {
  const terminal = await startCat();
  const waiting = terminal.wait({
    until: [{ kind: "text", text: "no" }, { kind: "text", text: "yes" }, { kind: "exit" }],
    timeoutMs: DEADLINE_MS,
  });
  await type(terminal, "yes\n");
  expect(await waiting).toMatchObject({ outcome: "text", match: "yes" });
  await terminal.kill(LOCAL_CALLER, 0);
});

/** A command line to be run by itself. */
const line = (commandLine: string, more: Partial<ExecInput> = {}): ExecInput => ({
  owner: OWNER,
  workingDirectory: "/tmp",
  commandLine,
  ...more,
});

test("a command line runs to its end, on a terminal of its own", async () => {
  const result = await host.exec(line("tty >/dev/null && echo on a terminal; exit 3"));
  expect(result).toMatchObject({ exitCode: 3, timedOut: false });
  expect(result.output).toMatchObject({ text: "on a terminal\r\n", truncated: false });
  expect(result).not.toHaveProperty("errorOutput");
  expect(result).not.toHaveProperty("signal");
});

test("a program runs with its arguments as they are, without a shell", async () => {
  const args = ["%s|%s", "$HOME", "a b"];
  const input = { owner: OWNER, workingDirectory: "/tmp", command: "printf", args };
  expect((await host.exec(input)).output.text).toBe("$HOME|a b");
});

test("without a terminal both outputs come apart, and the input is at its end", async () => {
  const result = await host.exec(
    line("test -t 0 || echo no terminal; cat; echo problem >&2; exit 1", { mode: "pipe" }),
  );
  expect(result).toMatchObject({ exitCode: 1, timedOut: false });
  expect(result.output.text).toBe("no terminal\n");
  expect(result.errorOutput?.text).toBe("problem\n");
  const streams = (await entriesOf(host, result.terminalId)).flatMap((entry) =>
    entry.type === "output" ? (entry.stream ?? "stdout") : [],
  );
  expect(streams).toEqual(["stdout", "stderr"]);
});

test.each(["pty", "pipe"] as const)(
  "a command on a %s that takes too long is ended with everything it started",
  async (mode) => {
    const result = await host.exec(
      line("sleep 100 & echo $!; echo begun; wait", { mode, timeoutMs: 2000 }),
    );
    expect(result).toMatchObject({ timedOut: true, exitCode: null });
    expect(result.signal).toMatch(/^SIG(TERM|HUP|KILL)$/);
    expect(result.output.text).toContain("begun");
    expect(isAlive(Number(/\d+/.exec(result.output.text)?.[0]))).toBe(false);
  },
);

test("of a long output the beginning and the end are shown, and the rest can be read", async () => {
  const result = await host.exec(line("seq 1 100000", { maxOutputBytes: 1000 }));
  const { text, truncated, totalLines, totalBytes, omittedBytes } = result.output;
  expect({ truncated, totalLines }).toEqual({ truncated: true, totalLines: 100_000 });
  expect(text.startsWith("1\r\n2\r\n")).toBe(true);
  expect(text.endsWith("99999\r\n100000\r\n")).toBe(true);
  expect(Buffer.byteLength(text)).toBeLessThan(1200);
  const entries = await entriesOf(host, result.terminalId);
  const recorded = entries.flatMap((entry) => (entry.type === "output" ? (entry.data ?? []) : []));
  expect(Buffer.concat(recorded).byteLength).toBe(totalBytes);
  expect(omittedBytes).toBeGreaterThan(totalBytes - 1200);
});

test("a command that was ended by a signal has no exit code", async () => {
  const result = await host.exec(line("kill -9 $$"));
  expect(result).toMatchObject({ exitCode: null, signal: "SIGKILL", timedOut: false });
});

test("a command leaves its recording and no terminal", async () => {
  const { terminalId } = await host.exec(line("echo done"));
  expect(host.registry.find(terminalId)).toBeUndefined();
  expect(await host.read(terminalId)).toMatchObject({ state: "exited", exitCode: 0 });
});

test("a command whose owner goes meanwhile still has a result", async () => {
  const owner = { entityName: "Mission", entityId: "m1" };
  const running = host.exec({ ...line("echo up; sleep 100"), owner });
  const isOwned = () => host.registry.list().some(({ row }) => row.owner.entityId === "m1");
  await expect.poll(isOwned).toBe(true);
  await host.registry.disposeOwner(owner);
  expect(await running).toMatchObject({ exitCode: null, signal: "SIGTERM", timedOut: false });
});

test.each([
  ["no command at all", {}, "command"],
  ["two commands", { command: "true", commandLine: "true" }, "command"],
  ["arguments without a command", { commandLine: "true", args: ["x"] }, "args"],
  ["a program that does not exist", { command: "/no/such" }, "command"],
])("%s is refused, and nothing is left", async (_, more, field) => {
  const rows = await host.recordings.listTerminals({ limit: 100 });
  const asked = host.exec({ owner: OWNER, workingDirectory: "/tmp", ...more });
  await expect(asked).rejects.toMatchObject({ field });
  expect(await host.recordings.listTerminals({ limit: 100 })).toEqual(rows);
});
