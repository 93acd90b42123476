import { afterAll, expect, test } from "vitest";
import { MAX_INPUT_BYTES, TerminalId } from "@nacre/contracts";
import { LOCAL_CALLER, type Terminal } from "@nacre/host";
import { person } from "../support/callers.ts";
import { openHost } from "../support/open-host.ts";
import { entriesOf, recordedInput, recordedOutput } from "../support/recorded-entries.ts";
import { shellNamed, shLine } from "../support/terminal-input.ts";
import { outputOf, type, untilText } from "../support/terminal-output.ts";

const host = await openHost();
afterAll(() => host[Symbol.asyncDispose]());

/** A program that gets every byte as it is typed, and says when it is ready. */
async function startRaw(line: string): Promise<Terminal> {
  const terminal = await host.createTerminal(
    shLine(`stty raw -echo -isig; printf 'ready\\n'; ${line}`),
  );
  await untilText(terminal, "ready");
  return terminal;
}

/** How `cat -v` prints a byte. */
function printed(byte: number): string {
  if (byte === 0x09 || byte === 0x0a) return String.fromCharCode(byte);
  const low = byte & 0x7f;
  const sign = low < 0x20 ? `^${String.fromCharCode(low + 0x40)}` : String.fromCharCode(low);
  return `${byte < 0x80 ? "" : "M-"}${low === 0x7f ? "^?" : sign}`;
}

test("every byte reaches the program and the recording as it is", async () => {
  const all = Uint8Array.from({ length: 256 }, (_, index) => index);
  const terminal = await startRaw("head -c 256 | cat -v");
  await type(terminal, all);
  await terminal.ended;
  const recorded = (await recordedOutput(host, terminal)).toString();
  expect(recorded).toBe(`ready\n${Array.from(all, printed).join("")}`);
  expect(await recordedInput(host, terminal)).toEqual([Buffer.from(all)]);
});

test("the names of keys are text unless they are asked for as keys", async () => {
  const terminal = await startRaw("head -c 8 | od -An -c");
  await host.Terminal.sendInput({ id: terminal.id, data: "Enter" });
  await host.Terminal.sendInput({ id: terminal.id, keys: ["Enter", "C-c"] });
  await host.Terminal.sendInput({ id: terminal.id, data: "Tab", literal: false });
  await terminal.ended;
  const [, said] = (await outputOf(terminal)).split("ready\n");
  expect(said?.trim().split(/\s+/)).toEqual(["E", "n", "t", "e", "r", "\\r", "003", "\\t"]);
});

test("a key that does not exist is refused by its place, and nothing is typed", async () => {
  const terminal = await host.createTerminal(shLine("cat"));
  const sent = host.Terminal.sendInput({ id: terminal.id, keys: ["Enter", "Enterr"] });
  await expect(sent).rejects.toMatchObject({ code: "invalid_argument", field: "keys.1" });
  expect(await recordedInput(host, terminal)).toEqual([]);
});

test("input for a program that ended, and for one that never was, is refused in two ways and not recorded", async () => {
  const terminal = await host.createTerminal(shLine("exit 0"));
  await terminal.ended;
  const before = await entriesOf(host, terminal.id);
  const { id } = terminal;
  for (const attempt of [
    () => host.Terminal.sendInput({ id, data: "x" }),
    () => host.Terminal.sendInput({ id, keys: ["Enter"] }),
    () => host.Terminal.sendInput({ id, cols: 90, rows: 30 }),
    () => type(terminal, "x"),
    () => terminal.paste("x", { by: LOCAL_CALLER }),
  ]) {
    await expect(attempt()).rejects.toMatchObject({ code: "terminal_exited" });
  }
  await host.registry.dispose(id);
  const disposed = host.Terminal.sendInput({ id, data: "x" });
  await expect(disposed).rejects.toMatchObject({ code: "terminal_exited", field: "id" });
  expect(await entriesOf(host, id)).toEqual(before);
  const nowhere = TerminalId.parse("terminal:zzz");
  await expect(host.Terminal.sendInput({ id: nowhere, data: "x" })).rejects.toMatchObject({
    code: "terminal_not_found",
    field: "id",
  });
});

test("1 MiB fits into one message, a byte more is refused and the terminal goes on", async () => {
  const terminal = await startRaw(`head -c ${MAX_INPUT_BYTES} | wc -c; cat`);
  const most = Buffer.alloc(MAX_INPUT_BYTES, "a");
  const tooMuch = Buffer.alloc(MAX_INPUT_BYTES + 1, "a");
  await expect(type(terminal, tooMuch)).rejects.toMatchObject({ code: "payload_too_large" });
  await expect(
    host.Terminal.sendInput({ id: terminal.id, data: tooMuch.toString() }),
  ).rejects.toMatchObject({ code: "payload_too_large", field: "data" });
  await type(terminal, most);
  await untilText(terminal, String(MAX_INPUT_BYTES));
  expect((await recordedInput(host, terminal)).map(({ byteLength }) => byteLength)).toEqual([
    MAX_INPUT_BYTES,
  ]);
});

test("8 MB for a program that does not read are refused in time, and other terminals do not notice", async () => {
  const stuck = await host.createTerminal(shLine("stty raw -echo; echo ready; exec sleep 100"));
  const other = await host.createTerminal(shLine("cat"));
  await untilText(stuck, "ready");
  const outcomes = await Promise.allSettled(
    Array.from({ length: 8 }, () => type(stuck, Buffer.alloc(1_000_000, "x"))),
  );
  const refused = outcomes.filter(({ status }) => status === "rejected");
  expect(refused).toHaveLength(7);
  expect(refused[0]).toMatchObject({ reason: { code: "input_queue_full" } });
  await type(other, "ping\n");
  await untilText(other, "ping\nping\n");
  // Only what was queued counts as typed.
  expect(await recordedInput(host, stuck)).toHaveLength(1);
  expect(stuck.isRunning).toBe(true);
});

test("what two senders type is mixed message by message only", async () => {
  const count = 1000;
  const terminal = await startRaw(`head -n ${2 * count}`);
  const send = async (name: string): Promise<void> => {
    const by = person(name);
    await Promise.all(
      Array.from({ length: count }, (_, index) => terminal.write(`${name} ${index} end\n`, { by })),
    );
  };
  await Promise.all([send("ada"), send("bob")]);
  await terminal.ended;
  const [, said] = (await outputOf(terminal)).split("ready\n");
  const lines = said?.trimEnd().split("\n") ?? [];
  const wanted = (name: string) => Array.from({ length: count }, (_, at) => `${name} ${at} end`);
  expect(lines.filter((line) => line.startsWith("ada"))).toEqual(wanted("ada"));
  expect(lines.filter((line) => line.startsWith("bob"))).toEqual(wanted("bob"));
  const entries = await entriesOf(host, terminal.id);
  const senders = entries.flatMap((entry) => (entry.type === "input" ? (entry.by ?? []) : []));
  expect(new Set(senders)).toEqual(new Set(["ada", "bob"]));
});

test("what is typed while a shell starts is not lost, and in order", async () => {
  const terminal = await host.createTerminal(shellNamed("bash"));
  await Promise.all([type(terminal, "echo one-$((1+1))\r"), type(terminal, "echo two-$((1+1))\r")]);
  await untilText(terminal, "two-2");
  const output = await outputOf(terminal);
  expect(output.indexOf("one-2")).toBeGreaterThan(0);
  expect(output.indexOf("one-2")).toBeLessThan(output.indexOf("two-2"));
});

test("input is recorded before what the program answers", async () => {
  const terminal = await host.createTerminal(shLine("read x; echo got-$x"));
  await type(terminal, "it\n");
  await terminal.ended;
  const kinds = (await entriesOf(host, terminal.id)).map(({ type: kind }) => kind);
  expect(kinds.indexOf("input")).toBeGreaterThan(0);
  expect(kinds.indexOf("input")).toBeLessThan(kinds.lastIndexOf("output"));
});

test("a secret reaches the program and leaves no byte in the recording", async () => {
  const terminal = await host.createTerminal(
    shLine("stty -echo; printf 'Password: '; read x; echo; echo ${#x} letters; cat"),
  );
  await untilText(terminal, "Password: ");
  await type(terminal, "hunter2\n");
  await untilText(terminal, "7 letters");
  await terminal.write("tapir-told\n", { by: LOCAL_CALLER, sensitive: true });
  const inputs = (await entriesOf(host, terminal.id)).filter((entry) => entry.type === "input");
  expect(inputs).toMatchObject([{ redacted: true }, { redacted: true }]);
  expect(inputs.filter((entry) => entry.data !== undefined)).toEqual([]);
});
