// An id that was deleted can be given to somebody else's terminal: whoever followed the first hears nothing of the second.
import { type EntityEventsMessage, TerminalId } from "@nacre/contracts";
import { afterAll, expect, test } from "vitest";
import { agentNamed, OperationsRig } from "./operations-rig.ts";

const rig = await OperationsRig.open();
afterAll(() => rig[Symbol.asyncDispose]());
const { operations } = rig.host;

const ALICE = agentNamed("alice");
const BOB = agentNamed("bob");
const SECRET = "bobs-secret-word";
const contextOf = (caller = ALICE) => ({ caller, via: "raw" as const });

/** A terminal of this id that says who it is and then what is typed. */
async function createNamed(id: TerminalId, caller: typeof ALICE): Promise<void> {
  const args = ["-c", "echo up; exec cat"];
  const input = { id, workingDirectory: "/tmp", command: "/bin/sh", args };
  await rig.ask("createTerminal", input, caller);
  await rig.ask("waitFor", { id, until: [{ kind: "text", text: "up" }], after: 0 }, caller);
}

/** The id goes from one to the other, whose terminal then writes what only he may read. */
async function handOn(id: TerminalId): Promise<void> {
  await rig.ask("deleteRecording", { id }, ALICE).catch(async () => {
    // Where agents may not delete, an operator does.
    await rig.ask("deleteRecording", { id });
  });
  await createNamed(id, BOB);
  await rig.ask("sendInput", { id, data: `${SECRET}\n` }, BOB);
  const until = [{ kind: "text" as const, text: SECRET }];
  await rig.ask("waitFor", { id, until, after: 0 }, BOB);
}

test("R-3: events of an id are not told to who followed it before it was another's", async () => {
  const id = TerminalId.parse("terminal:build");
  await createNamed(id, ALICE);
  const heard: EntityEventsMessage[] = [];
  using feed = await operations.follow(
    "entityEvents",
    {
      channel: [
        `${id}.*`,
        "terminal_recording_entry:*.*",
        "terminal_summary:*.*",
        "terminal:end.*",
      ],
    },
    contextOf(),
  );
  const over = (async () => {
    for await (const message of feed) {
      heard.push(message);
      if (message.type === "event" && message.event.entityId === "terminal:end") return;
    }
  })();
  await rig.ask("sendInput", { id, data: "alices own\n" }, ALICE);
  await handOn(id);
  // What is told of another terminal of hers comes after everything that was told before.
  await createNamed(TerminalId.parse("terminal:end"), ALICE);
  await over;
  expect(JSON.stringify(heard)).toContain("alices own");
  expect(JSON.stringify(heard)).not.toContain(SECRET);
  expect(JSON.stringify(heard)).not.toContain('"bob"');
});

test("R-3: a feed that fell behind does not go on with the recording of another life", async () => {
  const id = TerminalId.parse("terminal:feed");
  await createNamed(id, ALICE);
  for (let count = 0; count < 20; count++) {
    await rig.ask("sendInput", { id, data: "x\n" }, ALICE);
  }
  // It has fetched nothing yet, so all of it would be read from the recording.
  using late = await operations.follow("terminalFeed", { id, after: 0 }, contextOf());
  await rig.ask("disposeTerminal", { id }, ALICE);
  using ended = await operations.follow("terminalFeed", { id, after: 0 }, contextOf());
  using snapshot = await operations.follow("terminalFeed", { id }, contextOf());
  await handOn(id);
  for (const feed of [late, ended, snapshot]) {
    const heard: unknown[] = [];
    const all = async (): Promise<void> => {
      for await (const message of feed) heard.push(message);
    };
    await expect(all()).rejects.toMatchObject({ code: "terminal_not_found" });
    expect(JSON.stringify(heard)).not.toContain(SECRET);
    expect(JSON.stringify(heard)).not.toContain('"bob"');
  }
});

test("R-3: a terminal that was opened before is not read as the one that has its id now", async () => {
  const id = TerminalId.parse("terminal:opened");
  await createNamed(id, ALICE);
  const terminal = await rig.host.registry.readable(id);
  await rig.ask("disposeTerminal", { id }, ALICE);
  const ended = await rig.host.registry.readable(id);
  await handOn(id);
  for (const one of [terminal, ended]) {
    await expect(one.reader.read()).rejects.toMatchObject({ code: "terminal_not_found" });
    await expect(one.reader.readOutput({})).rejects.toMatchObject({ code: "terminal_not_found" });
    await expect(one.commands.list()).rejects.toMatchObject({ code: "terminal_not_found" });
  }
});
