import type { EntityEventsMessage, TerminalFeedMessage } from "@nacre/contracts";
import { afterAll, describe, expect, test, vi } from "vitest";
import { agentNamed, OPERATOR, READER, OperationsRig } from "./operations-rig.ts";

const rig = await OperationsRig.open();
afterAll(() => rig[Symbol.asyncDispose]());
const { operations } = rig.host;

const contextOf = (caller = OPERATOR, signal?: AbortSignal) => ({
  caller,
  via: "raw" as const,
  signal,
});

/** Long enough for a busy machine; nothing waits for it that goes well. */
const PATIENCE = { timeout: 10_000 };

const recordedInput = async (id: Parameters<OperationsRig["trace"]>[0]) => {
  const { entries } = await rig.ask("findRecordingEntries", { terminalId: id, types: ["input"] });
  return entries.map((entry) => (entry.type === "input" ? entry.data : ""));
};

test("a feed begins with a snapshot and goes on with entries, as other processes read them", async () => {
  const { id } = await rig.create("cat");
  using feed = await operations.follow("terminalFeed", { id }, contextOf());
  expect((await feed.next()).value).toMatchObject({ kind: "snapshot" });
  await rig.ask("sendInput", { id, data: "hello\n" });
  const seen: TerminalFeedMessage[] = [];
  for await (const message of feed) {
    seen.push(message);
    if (message.kind === "entry" && message.entry.type === "output") break;
  }
  expect(JSON.stringify(seen)).toContain("hello");
});

test("a feed after a sequence that is not there yet begins with a snapshot", async () => {
  const { id } = await rig.create("cat");
  using feed = await operations.follow("terminalFeed", { id, after: 1_000_000 }, contextOf());
  expect((await feed.next()).value).toMatchObject({ kind: "snapshot" });
});

describe("events", () => {
  test("of others are not told to an agent", async () => {
    const [one, two] = [agentNamed("one"), agentNamed("two")];
    const theirs = await rig.create("cat", one);
    using feed = await operations.follow("entityEvents", { channel: ["*"] }, contextOf(two));
    const own = await rig.create("echo own", two);
    await rig.ask("sendInput", { id: theirs.id, data: "x\n" }, one);
    await rig.ask("waitFor", { id: own.id, until: [{ kind: "exit" }], after: 0 }, two);
    const heard: EntityEventsMessage[] = [];
    for await (const message of feed) {
      heard.push(message);
      if (message.type === "event" && JSON.stringify(message).includes('"type":"exit"')) break;
    }
    expect(JSON.stringify(heard)).toContain(own.id);
    expect(JSON.stringify(heard)).not.toContain(theirs.id.slice("terminal:".length));
  });

  test("of all are told to a reader", async () => {
    const channel = ["terminal:*.recordingEntry.appended"];
    using feed = await operations.follow("entityEvents", { channel }, contextOf(READER));
    const { id } = await rig.create("true", agentNamed("one"));
    const heard: string[] = [];
    for await (const message of feed) {
      if (message.type === "event") heard.push(message.event.entityId);
      if (heard.includes(id)) break;
    }
    expect(heard).toContain(id);
  });
});

describe("when the client is gone", () => {
  test.each(["terminalFeed", "entityEvents"] as const)("%s ends", async (name) => {
    const { id } = await rig.create("cat");
    const leaving = new AbortController();
    const input = name === "terminalFeed" ? { id, after: 3 } : { channel: ["host:x.y"] };
    const feed = await operations.follow(name, input, contextOf(OPERATOR, leaving.signal));
    const read = (async () => {
      for await (const message of feed) void message;
      return "over";
    })();
    leaving.abort();
    expect(await read).toBe("over");
  });

  test.each([
    ["a wait", "waitFor", { until: [{ kind: "exit" }], timeoutMs: 60_000 }],
    ["reading output that does not come", "readOutput", { waitMs: 60_000, position: { after: 3 } }],
    ["asking for control", "requestControl", { wait: true, timeoutMs: 60_000 }],
  ] as const)("%s is over", async (_what, name, input) => {
    const holder = agentNamed("keeper");
    const { id } = await rig.create("cat", holder);
    const leaving = new AbortController();
    const context = contextOf(OPERATOR, leaving.signal);
    const asked = operations.call(name, { id, ...input }, context);
    leaving.abort();
    await expect(asked).rejects.toMatchObject({ code: "unavailable" });
  });

  test("the terminal itself does not wait any longer", async () => {
    const terminal = rig.host.registry.get((await rig.create("cat")).id);
    const leaving = new AbortController();
    const until = [{ kind: "exit" as const }];
    const wait = terminal.wait({ until, timeoutMs: 60_000 }, { signal: leaving.signal });
    const position = { after: terminal.lastSequence };
    const read = terminal.reader.readOutput({ position, waitMs: 60_000 }, leaving.signal);
    leaving.abort();
    expect(await wait).toMatchObject({ outcome: "timeout" });
    expect(await read).toMatchObject({ data: "", ended: false });
  });

  test("nothing is begun", async () => {
    const { id } = await rig.create("cat");
    const context = contextOf(OPERATOR, AbortSignal.abort());
    const sent = operations.call("sendInput", { id, data: "late" }, context);
    await expect(sent).rejects.toMatchObject({ code: "unavailable" });
    expect(await recordedInput(id)).toEqual([]);
  });

  test("a command goes on, and is written down once it is known what came of it", async () => {
    const { id } = await rig.createShell();
    const leaving = new AbortController();
    const input = { id, commandLine: "read -t 20 line; echo done-$line" };
    const start = (await rig.audit()).length;
    const run = operations.call("runCommand", input, contextOf(OPERATOR, leaving.signal));
    await rig.ask("waitFor", { id, until: [{ kind: "text", text: "read -t" }], after: 0 });
    leaving.abort();
    await expect(run).rejects.toMatchObject({ code: "unavailable" });
    await rig.ask("sendInput", { id, data: "well\n" });
    await rig.ask("waitFor", { id, until: [{ kind: "text", text: "done-well" }], after: 0 });
    await expect
      .poll(async () => (await rig.audit()).slice(start).map(({ action }) => action), PATIENCE)
      .toContain("runCommand");
  });

  test("its claim goes on without it only when its last connection ended", async () => {
    const { claims } = rig.host.registry.get((await rig.create("cat")).id);
    const left = vi.spyOn(claims, "clientGone");
    operations.clientBack(OPERATOR);
    operations.clientBack(OPERATOR);
    operations.clientGone(OPERATOR);
    expect(left).not.toHaveBeenCalled();
    operations.clientGone(OPERATOR);
    expect(left).toHaveBeenCalledWith(OPERATOR.clientId);
  });
});

describe("an attachment", () => {
  test("tells of bytes, types and resizes, and is written down in one record", async () => {
    const { id } = await rig.create("cat");
    const start = (await rig.audit()).length;
    const attached = await operations.attach(id, {}, contextOf());
    expect((await attached.next()).value).toMatchObject({ kind: "snapshot" });
    await attached.write(Buffer.from("ab"));
    await attached.write(Buffer.from("c\n"));
    expect(await attached.resize({ cols: 90, rows: 20 })).toEqual({ cols: 90, rows: 20 });
    let shown = "";
    for await (const message of attached) {
      if (message.kind === "entry" && message.view) shown += Buffer.from(message.view).toString();
      if (shown.includes("abc")) break;
    }
    // Nobody waits for what is written down of typing.
    await expect
      .poll(async () => (await rig.audit()).slice(start))
      .toMatchObject([
        {
          action: "sendInput",
          via: "raw",
          outcome: "ok",
          facts: { writes: 2, bytes: 4, resizes: 1 },
        },
      ]);
  });

  test("of a reader types nothing, and says so", async () => {
    const { id } = await rig.create("cat");
    const start = (await rig.audit()).length;
    const attached = await operations.attach(id, { after: 0 }, contextOf(READER));
    const refused = { code: "forbidden" };
    await expect(attached.write(Buffer.from("x"))).rejects.toMatchObject(refused);
    await expect(attached.resize({ cols: 9, rows: 9 })).rejects.toMatchObject(refused);
    attached[Symbol.dispose]();
    expect(await recordedInput(id)).toEqual([]);
    await expect
      .poll(async () => (await rig.audit()).slice(start))
      .toMatchObject([
        { action: "sendInput", caller: READER.id, outcome: "forbidden", facts: { refused: 2 } },
      ]);
  });
});
