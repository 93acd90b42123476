import { afterAll, afterEach, expect, test } from "vitest";
import {
  type EntityEventEnvelope,
  NacreError,
  TerminalSchema,
  type TerminalStorage,
} from "@nacre/contracts";
import { choosePtyDriver, LOCAL_CALLER, type Pty, type PtyDriver } from "@nacre/host";
import { isAlive } from "../support/is-alive.ts";
import { openHost } from "../support/open-host.ts";
import { entriesOf } from "../support/recorded-entries.ts";
import { OWNER, shLine } from "../support/terminal-input.ts";
import { followed, type, untilText } from "../support/terminal-output.ts";

type Spawn = PtyDriver["spawn"];

const driver = await choosePtyDriver();
const spawn: Spawn = (launch) => driver.spawn(launch);
let spawnNow: Spawn = spawn;
const problems: unknown[] = [];
const host = await openHost({
  driver: {
    name: driver.name,
    spawn: (launch) => spawnNow(launch),
    list: () => driver.list(),
    adopt: (id, fromOffset) => driver.adopt(id, fromOffset),
  },
  handleProblem: (_, error) => problems.push(error),
});
afterEach(() => {
  spawnNow = spawn;
  problems.length = 0;
});
afterAll(() => host[Symbol.asyncDispose]());

/** All events from now on, in order. */
function hearAll(): EntityEventEnvelope[] {
  const events: EntityEventEnvelope[] = [];
  void (async () => {
    for await (const message of host.bus.subscribe({ channels: ["*"] })) {
      if (message.type === "event") events.push(message.event);
    }
  })();
  return events;
}

const readRows = () => host.recordings.listTerminals({ limit: 1000 });

/** Those of entities that were not there before. */
function ofOthers(
  events: readonly EntityEventEnvelope[],
  rows: readonly TerminalStorage[],
): EntityEventEnvelope[] {
  const uids = rows.map(({ id }) => id.slice("terminal:".length));
  return events.filter(({ entityId }) => !uids.some((uid) => entityId.includes(uid)));
}

/** Everything that shows that a terminal is there. */
const traces = async () => ({ rows: await readRows(), listed: host.registry.list() });

/** How many places are taken by terminals that do not run. */
const countLost = (): number =>
  host.registry.limits.count - host.registry.list().filter(({ isRunning }) => isRunning).length;

test("the host makes the ids, and two terminals of one name are two", async () => {
  const ids = await Promise.all(
    Array.from({ length: 20 }, async () => {
      const { id, row } = await host.createTerminal({ ...shLine("exit 0"), name: "x" });
      expect(row.name).toBe("x");
      return id;
    }),
  );
  expect(new Set(ids).size).toBe(20);
  // Six bits for each letter: nobody guesses 120 of them.
  expect(ids.filter((id) => !/^terminal:[A-Za-z0-9][A-Za-z0-9_-]{19,}$/.test(id))).toEqual([]);
});

test.each(["System", "Repository", "Mission", "Task", "Artifact", "AgentExecution", "Foo"])(
  "a %s can own a terminal, and is kept as it was given",
  async (entityName) => {
    const owner = { entityName, entityId: "a/b:c", attributes: { deep: { er: [1, null] } } };
    const { id } = await host.createTerminal({ ...shLine("exit 0"), owner });
    expect((await host.read(id)).owner).toEqual(owner);
    expect((await readRows()).find((row) => row.id === id)?.owner).toEqual(owner);
  },
);

test.each([
  ["id", { id: "terminal:mine" }],
  ["recordingEntries", { recordingEntries: [] }],
  ["createdAt", { createdAt: "2026-01-31T09:30:00.000Z" }],
])("an owner cannot give a terminal its %s", async (field, more) => {
  const before = await readRows();
  const asked = { ...shLine("exit 0"), ...more };
  await expect(host.Terminal.create(asked)).rejects.toMatchObject({
    code: "invalid_argument",
    message: expect.stringContaining(field) as string,
  });
  expect(await readRows()).toEqual(before);
});

test("the row is kept first, then the program starts, then come header, claim and events", async () => {
  const before = new Set((await readRows()).map(({ id }) => id));
  const events = hearAll();
  const atSpawn: { entries: number; events: number }[] = [];
  spawnNow = async (launch) => {
    const added = (await readRows()).filter(({ id }) => !before.has(id));
    for (const { id } of added) {
      const ofIt = events.filter(({ entityId }) => entityId === id);
      atSpawn.push({ entries: (await entriesOf(host, id)).length, events: ofIt.length });
    }
    return driver.spawn(launch);
  };
  const { id, recordingEntries } = await host.Terminal.create(shLine("cat"));
  expect(atSpawn).toEqual([{ entries: 0, events: 0 }]);
  expect(recordingEntries.map((entry) => `${entry.sequence} ${entry.type}`)).toEqual([
    "1 header",
    "2 claim",
  ]);
  const kinds = () => events.filter(({ entityId }) => entityId === id).map(({ kind }) => kind);
  await expect.poll(kinds).toContain("terminal.data.changed");
  expect(kinds()[0]).toBe("terminal.recordingEntry.appended");
});

test("creating gives the whole terminal back, in the words of its schema", async () => {
  const created = await host.Terminal.create({ ...shLine("cat"), size: { cols: 100, rows: 30 } });
  expect(TerminalSchema.parse(created)).toEqual(created);
  expect(created).toMatchObject({ state: "active", connected: true, dead: false, exitCode: null });
  expect(created).toMatchObject({ cols: 100, rows: 30, owner: OWNER, command: "/bin/sh" });
});

test("a program that does not exist leaves no row, no terminal and no event", async () => {
  const before = await traces();
  const events = hearAll();
  const asked = { owner: OWNER, workingDirectory: "/tmp", command: "/no/such" };
  await expect(host.Terminal.create(asked)).rejects.toMatchObject({
    code: "command_not_found",
    field: "command",
  });
  expect(await traces()).toEqual(before);
  await expect.poll(countLost).toBe(0);
  expect(ofOthers(events, before.rows)).toEqual([]);
});

test("a program that the system refuses to start leaves nothing behind either", async () => {
  const before = await traces();
  const events = hearAll();
  spawnNow = async () => {
    expect((await readRows()).length).toBe(before.rows.length + 1);
    throw new NacreError("spawn_failed", "no more processes");
  };
  const refused = host.createTerminal(shLine("cat"));
  await expect(refused).rejects.toMatchObject({ code: "spawn_failed" });
  expect(await traces()).toEqual(before);
  await expect.poll(countLost).toBe(0);
  expect(ofOthers(events, before.rows)).toEqual([]);
});

test("any program can be run, not only a shell", async () => {
  const terminal = await host.createTerminal({
    owner: OWNER,
    workingDirectory: "/tmp",
    command: "/bin/cat",
  });
  await type(terminal, "a\n");
  await untilText(terminal, "a\na\n");
  expect(terminal.isRunning).toBe(true);
});

test("a terminal needs no client to go on", async () => {
  const terminal = await host.createTerminal(shLine("read x; echo got $x"));
  using viewer = terminal.subscribe();
  await viewer.next();
  viewer[Symbol.dispose]();
  await type(terminal, "it\n");
  expect(await terminal.ended).toMatchObject({ exitCode: 0 });
});

/** The same Pty, whose output cannot be read any more once this resolves. */
const failing = (pty: Pty, broken: Promise<void>): Pty => ({
  id: pty.id,
  leader: pty.leader,
  exited: pty.exited,
  read: async (spare) => {
    const failed = broken.then(() => Promise.reject(new Error("the PTY is gone")));
    return Promise.race([pty.read(spare), failed]);
  },
  write: (bytes) => pty.write(bytes),
  resize: (size) => pty.resize(size),
  state: () => pty.state(),
  signal: (signal, target) => pty.signal(signal, target),
  kill: (graceMs) => pty.kill(graceMs),
  [Symbol.asyncDispose]: () => pty[Symbol.asyncDispose](),
});

test("a terminal whose recording cannot begin is refused with the reason, and its program does not go on", async () => {
  const before = await traces();
  const known = new Set(before.rows.map(({ id }) => id));
  let pid = 0;
  spawnNow = async (launch) => {
    // Somebody removes the row in the meantime.
    for (const { id } of await readRows()) if (!known.has(id)) await host.recordings.delete(id);
    const pty = await driver.spawn(launch);
    pid = pty.leader.pid;
    return pty;
  };
  const refused = host.createTerminal(shLine("exec sleep 100"));
  await expect(refused).rejects.toBeInstanceOf(NacreError);
  await expect(refused).rejects.toMatchObject({ code: "terminal_not_found" });
  expect(isAlive(pid)).toBe(false);
  expect(await traces()).toEqual(before);
  await expect.poll(countLost).toBe(0);
});

test("a terminal whose recording is removed while it runs ends like others, and somebody is told", async () => {
  const terminal = await host.createTerminal(shLine("echo up; cat"));
  const following = followed(terminal);
  await untilText(terminal, "up");
  await host.recordings.delete(terminal.id);
  await terminal.kill(LOCAL_CALLER, 0);
  expect(await terminal.ended).toMatchObject({ signal: "SIGKILL" });
  expect(terminal.status.state).toBe("exited");
  expect(problems).not.toEqual([]);
  expect((await following).length).toBeGreaterThan(0);
  await host.registry.dispose(terminal.id);
});

test("a terminal whose PTY fails is lost and says so, and can be disposed of", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  spawnNow = async (launch) => failing(await driver.spawn(launch), promise);
  const terminal = await host.createTerminal(shLine("echo up; exec sleep 100"));
  const following = followed(terminal);
  await untilText(terminal, "up");
  resolve();
  const { exitCode, signal } = await terminal.ended;
  expect([exitCode, signal]).toEqual([undefined, undefined]);
  expect(await terminal.reader.read()).toMatchObject({
    state: "lost",
    connected: false,
    dead: true,
    exitCode: null,
  });
  await following;
  await expect(terminal.write("x", { by: LOCAL_CALLER })).rejects.toMatchObject({
    code: "terminal_exited",
  });
  await host.registry.dispose(terminal.id);
  expect(host.registry.find(terminal.id)).toBeUndefined();
});
