// The protocol's checklist: commands of shells.
import { afterAll, expect, test } from "vitest";
import type { AhpClient } from "../support/ahp-client.ts";
import type { Action, Part } from "../support/ahp-mirror.ts";
import { AhpRig } from "./ahp-rig.ts";

const rig = await AhpRig.open();
afterAll(() => rig[Symbol.asyncDispose]());

const COMMANDS = ["terminal/commandExecuted", "terminal/commandFinished", "terminal/exited"];

/** Types a line and resolves when as many commands have ended as were typed. */
async function runLine(client: AhpClient, channel: string, line: string): Promise<void> {
  const count = client.actionsOf(channel, "terminal/commandFinished").length;
  client.type(channel, `${line}\r`);
  await client.until(
    () => client.actionsOf(channel, "terminal/commandFinished").length > count,
    `the end of ${line}`,
  );
}

/** What was said between the start and the end of each command. */
function outputsOf(client: AhpClient, channel: string): ReadonlyMap<string, string> {
  const outputs = new Map<string, string>();
  let open: string | undefined;
  for (const { action } of client.envelopesOf(channel)) {
    if (action.type === "terminal/commandExecuted") open = action.commandId;
    if (action.type === "terminal/commandFinished") open = undefined;
    if (action.type !== "terminal/data" || open === undefined) continue;
    outputs.set(open, (outputs.get(open) ?? "") + (action.data ?? ""));
  }
  return outputs;
}

const commandsIn = (content: readonly Part[]): readonly Part[] =>
  content.filter(({ type }) => type === "command");

/** Writes both parts of each pair, the second after a key. */
const IN_TWO =
  'stty raw -echo; while [ $# -gt 0 ]; do printf %b "$1"; head -c 1 >/dev/null; printf %b "$2"; shift 2; done';

/** Bytes for `printf %b`. */
const octal = (bytes: Buffer): string =>
  Array.from(bytes, (byte) => `\\0${byte.toString(8).padStart(3, "0")}`).join("");

test.each([
  ["a\u001b]633;C\u0007b", "ab"],
  ["a\u001b]633;E;echo\\x20x;n\u001b\\b", "ab"],
  ["a\u001b]133;D;0\u0007\u001b]133;A\u001b\\b", "ab"],
  ["a\u001b]633;P;Cwd=/\u0007ü\u001b[1mb", "aü\u001b[1mb"],
])("56. markers are stripped wherever the stream is cut: %j", async (written, shown) => {
  using client = await rig.client();
  const bytes = Buffer.from(written);
  const cuts = Array.from({ length: bytes.length + 1 }, (_, cut) => cut);
  const pairs = cuts.flatMap((cut) => [
    `<${cut}>${octal(bytes.subarray(0, cut))}`,
    `${octal(bytes.subarray(cut))}</${cut}>`,
  ]);
  const args = ["-c", IN_TWO, "sh", ...pairs];
  const channel = await rig.launch(client, { command: "/bin/sh", args });
  await client.watch(channel);
  for (const cut of cuts) {
    await client.untilText(channel, `<${cut}>`);
    client.type(channel, "x");
  }
  await client.untilAction(channel, "terminal/exited");
  const expected = cuts.map((cut) => `<${cut}>${shown}</${cut}>`).join("");
  expect(client.text(channel)).toBe(expected);
  using late = await rig.client();
  await late.watch(channel);
  expect(late.text(channel)).toBe(expected);
});

test("57. a command's start, output and end come in the order of the stream", async () => {
  using client = await rig.client();
  const channel = await rig.shell(client);
  for (const line of ["printf 'one\\ntwo\\n'", "false", "printf x", "(exit 42)"]) {
    await runLine(client, channel, line);
  }
  const told = client
    .envelopesOf(channel)
    .flatMap(({ action }) => (COMMANDS.includes(action.type) ? [action] : []));
  const started = told.filter((_, index) => index % 2 === 0);
  const finished = told.filter((_, index) => index % 2 === 1);
  expect(started.map(({ commandLine }) => commandLine)).toEqual([
    "printf 'one\\ntwo\\n'",
    "false",
    "printf x",
    "(exit 42)",
  ]);
  expect(finished.map(({ exitCode }) => exitCode)).toEqual([0, 1, 0, 42]);
  const ids = started.map(({ commandId }) => commandId ?? "");
  expect(finished.map(({ commandId }) => commandId)).toEqual(ids);
  expect(new Set(ids).size).toBe(4);
  const outputs = outputsOf(client, channel);
  expect(ids.map((id) => outputs.get(id) ?? "")).toEqual(["one\r\ntwo\r\n", "", "x", ""]);
  checkTimes(started, finished);
  const { fresh } = await client.compare(channel);
  expect(commandsIn(fresh.content)).toMatchObject(
    ids.map((commandId, index) => ({
      commandId,
      commandLine: started[index]?.commandLine,
      output: outputs.get(commandId) ?? "",
      exitCode: finished[index]?.exitCode,
      timestamp: started[index]?.timestamp,
      durationMs: finished[index]?.durationMs,
      isComplete: true,
    })),
  );
});

/** Checks that commands began lately and took no time to speak of. */
function checkTimes(started: readonly Action[], finished: readonly Action[]): void {
  for (const { timestamp = 0 } of started) {
    expect(Math.abs(Date.now() - timestamp)).toBeLessThan(60_000);
    expect(Number.isSafeInteger(timestamp)).toBe(true);
  }
  for (const { durationMs = -1 } of finished) {
    expect(durationMs).toBeGreaterThanOrEqual(0);
    expect(durationMs).toBeLessThan(60_000);
  }
}

test("58. that commands are reported is known before the first one, and never said where they are not", async () => {
  using client = await rig.client();
  const channel = await rig.launch(client, {});
  const first = await client.watch(channel);
  const available = first.supportsCommandDetection === true ? 1 : 0;
  await client.until(() => client.terminal(channel).supportsCommandDetection === true);
  await runLine(client, channel, "true");
  const types = client.envelopesOf(channel).map(({ action }) => action.type);
  const announced = types.filter((type) => type === "terminal/commandDetectionAvailable");
  expect(announced.length + available).toBe(1);
  expect(types.indexOf("terminal/commandDetectionAvailable")).toBeLessThan(
    types.indexOf("terminal/commandExecuted"),
  );
  expect((await client.compare(channel)).fresh.supportsCommandDetection).toBe(true);
});

test("58. a shell without integration, and a program that is none, report no commands", async () => {
  using client = await rig.client();
  for (const extras of [{ shellIntegration: "off" }, { command: "/bin/cat" }] as const) {
    const channel = await rig.launch(client, extras);
    await client.watch(channel);
    client.type(channel, "echo a'b'c\r");
    await client.until(() => /abc\r\n|'c\r\n.*'c\r\n/s.test(client.text(channel)), "an answer");
    const { fresh } = await client.compare(channel);
    expect(fresh.supportsCommandDetection ?? false).toBe(false);
    expect(commandsIn(fresh.content)).toEqual([]);
  }
});

test("59. every other sequence stays as it is, byte by byte", async () => {
  using client = await rig.client();
  const written = [
    "\u001b]0;a title\u0007",
    "\u001b]2;another ü\u001b\\",
    "\u001b]8;;https://example.com/?a=1;b\u001b\\link\u001b]8;;\u001b\\",
    "\u001b[38;2;1;2;3mcolour\u001b[0m",
    "\u001b]1337;SetMark\u0007",
    "\u001b]6330;no marker\u0007\u001b]63\u0007",
    "\u001bP1$r0m\u001b\\",
    "\u001b[?2004h\u001b(B\u001b7\u001b8",
    "😀é\t\b",
  ].join("");
  const args = ["-c", 'stty raw -echo; printf %b "$1"', "sh", octal(Buffer.from(written))];
  const channel = await rig.launch(client, { command: "/bin/sh", args });
  await client.watch(channel);
  await client.until(() => client.terminal(channel).lifecycle?.status === "exited");
  expect(client.text(channel)).toBe(written);
});

test("60. an open command ends with its program", async () => {
  using client = await rig.client();
  const channel = await rig.shell(client);
  client.type(channel, "exec sh -c 'echo last; exit 7'\r");
  await client.untilAction(channel, "terminal/exited");
  const told = client
    .envelopesOf(channel)
    .flatMap(({ action }) => (COMMANDS.includes(action.type) ? action.type : []));
  expect(told).toEqual(COMMANDS);
  const { fresh, mirrored } = await client.compare(channel);
  expect(mirrored).toEqual(fresh);
  expect(commandsIn(fresh.content)).toMatchObject([{ output: "last\r\n", isComplete: true }]);
});

test("61. markers that do not prove where they come from report nothing", async () => {
  using client = await rig.client();
  const channel = await rig.shell(client);
  const forged = [
    "\\033]633;D;7\\007",
    "\\033]633;E;forged\\007\\033]633;C\\007",
    "\\033]633;E;forged;00000000-0000-0000-0000-000000000000\\007\\033]633;C\\007",
    "\\033]133;D;7\\007\\033]133;A\\007\\033]133;B\\007\\033]133;C\\007",
    "\\033]633;D;9;nacre=1.1\\007",
    "\\033]633;P;Cwd=/forged\\007",
  ].join("between");
  await runLine(client, channel, `printf 'before${forged}after'; false`);
  await runLine(client, channel, "echo next");
  const { fresh } = await client.compare(channel);
  const commands = commandsIn(fresh.content);
  expect(commands).toMatchObject([
    { exitCode: 1, output: `before${"between".repeat(5)}after` },
    { exitCode: 0, commandLine: "echo next", output: "next\r\n" },
  ]);
  expect(client.actionsOf(channel, "terminal/commandExecuted")).toHaveLength(2);
  expect(fresh.cwd).not.toContain("forged");
});

test("nothing failed that no client was told of", () => {
  expect(rig.failures).toEqual([]);
});
