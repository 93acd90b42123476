// A terminal of which only the recording is left can still be read in every way.
import { afterAll, expect, test } from "vitest";
import { OPERATOR, present, OperationsRig } from "./operations-rig.ts";

const rig = await OperationsRig.open();
afterAll(() => rig[Symbol.asyncDispose]());

const { id } = await rig.createShell();
const { command } = await rig.ask("runCommand", { id, commandLine: "echo first" });
const middle = (await rig.ask("readTerminal", { id })).recording.lastSequence;
await rig.ask("runCommand", { id, commandLine: "clear; echo second" });
await rig.ask("killTerminal", { id });
const seen = await rig.ask("readScreen", { id });
const said = await rig.ask("readOutput", { id });
const known = await rig.ask("listCommands", { id });
await rig.ask("disposeTerminal", { id });

const context = { caller: OPERATOR, via: "library" } as const;

test("its row and state", async () => {
  expect(await rig.ask("readTerminal", { id })).toMatchObject({
    id,
    state: "exited",
    connected: false,
    dead: true,
  });
});

test("its last screen, and that of any moment", async () => {
  expect(await rig.ask("readScreen", { id })).toMatchObject({ text: seen.text, hash: seen.hash });
  const earlier = await rig.ask("readScreen", { id, at: middle });
  expect(earlier.sequence).toBe(middle);
  expect(earlier.text).toContain("first");
  expect(earlier.text).not.toContain("second");
});

test("its output, without waiting for more", async () => {
  expect(await rig.ask("readOutput", { id })).toEqual(said);
  const end = await rig.ask("readOutput", { id, position: said.position, waitMs: 60_000 });
  expect(end).toMatchObject({ data: "", ended: true });
});

test("its commands", async () => {
  expect(await rig.ask("listCommands", { id })).toEqual(known);
  const { commandId } = present(command);
  const read = await rig.ask("readCommand", { id, commandId });
  expect(read.command).toMatchObject({ commandLine: "echo first", exitCode: 0 });
  expect(read.output.text).toContain("first");
  expect(read.output.text).not.toContain("second");
});

test("a wait is over at once, or finds what was written", async () => {
  const idle = [{ kind: "prompt" as const }];
  expect(await rig.ask("waitFor", { id, until: idle })).toMatchObject({ outcome: "exit" });
  const text = [{ kind: "text" as const, text: "second" }];
  expect(await rig.ask("waitFor", { id, until: text, after: 0 })).toMatchObject({
    outcome: "text",
  });
});

test("its feed is a snapshot, or the entries that are missing, and then the end", async () => {
  const whole = [];
  for await (const message of await rig.host.operations.follow("terminalFeed", { id }, context)) {
    whole.push(message);
  }
  expect(whole).toMatchObject([{ kind: "snapshot" }]);
  const { lastSequence } = (await rig.ask("readTerminal", { id })).recording;
  const after = lastSequence - 2;
  const rest = [];
  const feed = await rig.host.operations.follow("terminalFeed", { id, after }, context);
  for await (const message of feed) rest.push(message);
  expect(rest).toMatchObject([
    { kind: "entry", entry: { sequence: lastSequence - 1 } },
    { kind: "entry", entry: { sequence: lastSequence, type: "exit" } },
  ]);
});

test("it cannot be driven any more", async () => {
  for (const attempt of [
    rig.ask("sendInput", { id, data: "x" }),
    rig.ask("renameTerminal", { id, title: "x" }),
    rig.ask("moveClaim", { id }),
    rig.ask("disposeTerminal", { id }),
  ]) {
    await expect(attempt).rejects.toMatchObject({ code: "terminal_exited", field: "id" });
  }
  using attached = await rig.host.operations.attach(id, {}, context);
  await expect(attached.write(Buffer.from("x"))).rejects.toMatchObject({ code: "terminal_exited" });
});
