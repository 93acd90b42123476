// What a reading of a terminal costs, and what it says about what it leaves out.
import {
  EntryTypes,
  RECORDING_WINDOW_BYTES,
  type TerminalData,
  TerminalSchema,
  TerminalSummary,
} from "@nacre/contracts";
import { afterAll, expect, test, vi } from "vitest";
import { LOCAL_CALLER } from "@nacre/host";
import { openHost } from "../support/open-host.ts";
import { OWNER, shellNamed, shLine } from "../support/terminal-input.ts";
import { DEADLINE_MS, type, untilText } from "../support/terminal-output.ts";

const host = await openHost();
afterAll(() => host[Symbol.asyncDispose]());
const DEADLINE = { timeout: DEADLINE_MS, interval: 20 };

/** What all its entries have as data. */
const dataBytesOf = ({ recordingEntries }: TerminalData): number =>
  recordingEntries.reduce(
    (sum, entry) => sum + ("data" in entry ? (entry.data?.length ?? 0) : 0),
    0,
  );

test("S-F2: a reading of a flood is small, and so is what is told of it", async () => {
  const terminal = await host.createTerminal(shLine("read go; seq 1 100000; exit 0"));
  const { id } = terminal;
  using subscription = host.bus.subscribe({ channels: [`${id}.data.changed`] });
  const told: TerminalData[] = [];
  void (async () => {
    for await (const message of subscription) {
      if (message.type === "event") told.push(TerminalSchema.parse(message.event.payload));
    }
  })();
  await type(terminal, "\n");
  await terminal.ended;
  const read = await host.read(id);
  await expect.poll(() => told.at(-1), DEADLINE).toEqual(read);
  for (const data of [read, ...told]) {
    expect(dataBytesOf(data)).toBeLessThanOrEqual(RECORDING_WINDOW_BYTES);
    expect(JSON.stringify(data).length).toBeLessThan(128 * 1024);
  }
  expect(read).toMatchObject({ truncated: true, dead: true, exitCode: 0 });
});

test("S-F2: who lists terminals hears what a list shows, and nothing while one only writes", async () => {
  using subscription = host.bus.subscribe({ channels: ["terminal_summary:*.data.changed"] });
  const told: TerminalSummary[] = [];
  void (async () => {
    for await (const message of subscription) {
      if (message.type === "event") told.push(TerminalSummary.parse(message.event.payload));
    }
  })();
  const read = vi.spyOn(host.recordings, "readWindow");
  const terminal = await host.createTerminal(
    shLine("echo up; read go; seq 1 30000; echo done; read go"),
  );
  await untilText(terminal, "up");
  await expect.poll(() => terminal.summary.inputNeeded !== undefined, DEADLINE).toBe(true);
  await expect.poll(() => told.at(-1), DEADLINE).toEqual(terminal.summary);
  const before = told.length;
  await type(terminal, "\n");
  await untilText(terminal, "done");
  await terminal.rename("mine", LOCAL_CALLER);
  await expect.poll(() => told.at(-1)?.title, DEADLINE).toBe("mine");
  // It waits, runs, waits again and has another name; the entries of its output are no change.
  expect(told.length - before).toBeLessThanOrEqual(5);
  expect(read).not.toHaveBeenCalled();
  read.mockRestore();
  await terminal.kill(LOCAL_CALLER, 0);
});

test("S-F11: `truncated` tells that lines have left the scrollback", async () => {
  const many = await host.createTerminal(shLine("stty -echo; seq 1 3000; cat"));
  await untilText(many, "3000\n");
  // So few entries that all of them are told: what is missing is missing on the screen.
  const read = await host.read(many.id);
  expect(read.screen).not.toContain("\n1\r");
  expect(read.truncated).toBe(true);
  const few = await host.createTerminal(shLine("stty -echo; seq 1 100; cat"));
  await untilText(few, "100\n");
  const whole = await host.read(few.id);
  expect(whole.recordingEntries[0]?.sequence).toBe(1);
  expect(whole.truncated).toBe(false);
});

test("S-L6: who knows five types of entries reads, and hears, these and no others", async () => {
  const types = EntryTypes.parse(["header", "input", "output", "resize", "exit"]);
  const terminal = await host.createTerminal(shellNamed("bash"));
  const { id } = terminal;
  const context = { caller: LOCAL_CALLER, via: "library" } as const;
  using feed = await host.operations.follow("terminalFeed", { id, after: 0, types }, context);
  const channel = [`${id}.*`, "terminal_recording_entry:*.*"];
  using events = await host.operations.follow("entityEvents", { channel, types }, context);
  await type(terminal, "echo $((6*7)); exit\r");
  await terminal.ended;
  const read = await host.Terminal.read({ id, types });
  const typesIn = (entries: readonly { type: string }[]) => entries.map((entry) => entry.type);
  expect(typesIn(read.recordingEntries)).toEqual(
    expect.arrayContaining(["header", "input", "output", "exit"]),
  );
  const found = await host.operations.call(
    "findRecordingEntries",
    { terminalId: id, types },
    context,
  );
  const followed: string[] = [];
  for await (const message of feed) {
    if (message.kind === "entry") followed.push(message.entry.type);
  }
  const heard: string[] = [];
  for await (const message of events) {
    if (message.type === "resync") continue;
    const { payload } = message.event as { payload: Partial<TerminalData> & { type?: string } };
    heard.push(...(payload.type === undefined ? [] : [payload.type]));
    heard.push(...typesIn(payload.recordingEntries ?? []));
    if (payload.dead === true) break;
  }
  for (const told of [typesIn(read.recordingEntries), typesIn(found.entries), followed, heard]) {
    expect(told.filter((one) => !types.includes(one as never))).toEqual([]);
    expect(told).toContain("exit");
  }
  expect((await host.read(id)).recordingEntries.map((entry) => entry.type)).toContain("claim");
});

test("S-F14: an imported recording is drawn once, not for each reading", async () => {
  const count = 5000;
  const cast = [
    JSON.stringify({ version: 2, width: 80, height: 24 }),
    ...Array.from({ length: count }, (_, at) => JSON.stringify([at / 1000, "o", `line ${at}\r\n`])),
  ].join("\n");
  const pieces = (async function* () {
    yield await Promise.resolve(Buffer.from(cast));
  })();
  const { id } = await host.registry.import({ owner: OWNER, workingDirectory: "/", pieces });
  const drawn: number[] = [];
  const drawAndSave = host.screens.drawAndSave.bind(host.screens);
  const draw = vi.spyOn(host.screens, "drawAndSave").mockImplementation((past, isWorth) => {
    const at = drawn.push(0) - 1;
    const changes = (async function* () {
      for await (const change of past.changes) {
        drawn[at] = (drawn[at] ?? 0) + 1;
        yield change;
      }
    })();
    return drawAndSave({ ...past, changes }, isWorth);
  });
  const read = await host.read(id);
  expect(read.screen).toContain(`line ${count - 1}`);
  expect(read.truncated).toBe(true);
  expect(await host.read(id)).toEqual(read);
  draw.mockRestore();
  expect(drawn).toEqual([0, 0]);
});
