import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import {
  createHost,
  LOCAL_CALLER,
  openSqliteReader,
  type ReapReason,
  type Terminal,
} from "@nacre/host";
import { agent, clientClaim, person } from "../support/callers.ts";
import { ownDirectory } from "../support/own-directory.ts";
import { openHost } from "../support/open-host.ts";
import { entriesOf } from "../support/recorded-entries.ts";
import { OWNER, shLine } from "../support/terminal-input.ts";
import { followed, untilText } from "../support/terminal-output.ts";

const problems: unknown[] = [];
const host = await openHost({
  limits: { maxPerOwner: 5 },
  handleProblem: (_, error) => problems.push(error),
});
afterAll(async () => {
  await host[Symbol.asyncDispose]();
  if (problems.length > 0) throw new AggregateError(problems);
});

const owner = (entityId: string) => ({ entityName: "Mission", entityId });

test("a terminal that is disposed is ended and off the list, and its recording stays", async () => {
  const terminal = await host.createTerminal(shLine("echo here; cat"));
  const following = followed(terminal);
  await untilText(terminal, "here\n");
  await host.registry.dispose(terminal.id);
  expect(terminal.isRunning).toBe(false);
  expect(host.registry.find(terminal.id)).toBeUndefined();
  expect(() => host.registry.get(terminal.id)).toThrow("no terminal has the id");
  expect((await following).at(-1)).toMatchObject({ entry: { type: "exit" } });
  const left = await host.read(terminal.id);
  expect(left).toMatchObject({ state: "exited", connected: false, dead: true, signal: "SIGTERM" });
  expect(left.screen).toContain("here");
  await expect(host.registry.dispose(terminal.id)).rejects.toMatchObject({
    code: "terminal_not_found",
  });
});

test("who follows a terminal that is disposed gets every entry up to its end, however far behind", async () => {
  const terminal = await host.createTerminal(shLine("seq 1 40000; exit 3"));
  const slow = terminal.subscribe({ after: 0, whenBehind: "replay" });
  const idle = terminal.subscribe({ after: 0, whenBehind: "replay" });
  await slow.next();
  await terminal.ended;
  await host.registry.dispose(terminal.id);
  for (const [feed, first] of [
    [slow, 2],
    [idle, 1],
  ] as const) {
    const sequences: number[] = [];
    for await (const message of feed) {
      if (message.kind === "entry") sequences.push(message.entry.sequence);
    }
    const all = Array.from({ length: terminal.lastSequence + 1 - first }, (_, at) => at + first);
    expect(sequences).toEqual(all);
  }
});

test("who comes while a terminal is being disposed sees it to its end", async () => {
  const terminal = await host.createTerminal(shLine("echo here; cat"));
  await untilText(terminal, "here\n");
  const disposing = host.registry.dispose(terminal.id);
  const late = (await host.registry.readable(terminal.id)).subscribe({ after: 0 });
  expect((await host.read(terminal.id)).state).not.toBe("lost");
  const types: string[] = [];
  for await (const message of late) types.push(message.kind === "entry" ? message.entry.type : "");
  expect(types.at(-1)).toBe("exit");
  await disposing;
});

test("a terminal that is deleted is gone with everything that was recorded", async () => {
  const terminal = await host.createTerminal(shLine("echo here; cat"));
  await untilText(terminal, "here\n");
  const { length } = await entriesOf(host, terminal.id);
  // The exit is one more.
  expect(await host.registry.delete(terminal.id)).toBe(length + 1);
  await expect(host.read(terminal.id)).rejects.toMatchObject({ code: "terminal_not_found" });
  expect(await entriesOf(host, terminal.id)).toEqual([]);
});

/** A terminal in the moment in which its program is over, and nothing else happened yet. */
async function startAndEnd(): Promise<Terminal> {
  const terminal = await host.createTerminal(shLine("read line"));
  const { promise, resolve } = Promise.withResolvers<void>();
  terminal.onChange(() => void (terminal.isOver && resolve()));
  await terminal.write("\n", { by: LOCAL_CALLER });
  await promise;
  return terminal;
}

test("a terminal that is disposed at the moment it ends has a recording that is closed", async () => {
  const terminal = await startAndEnd();
  await host.registry.dispose(terminal.id);
  const steps: unknown[] = [];
  for await (const step of host.recordings.verify(terminal.id)) steps.push(step);
  expect(steps.at(-1)).toMatchObject({ ok: true, sealed: true });
});

test("a terminal can be deleted at the moment it ends", async () => {
  const terminal = await startAndEnd();
  await host.registry.delete(terminal.id);
  await expect(terminal.ended).resolves.toMatchObject({ exitCode: 0 });
  await expect(host.read(terminal.id)).rejects.toMatchObject({ code: "terminal_not_found" });
});

test("what an owner leaves is ended, but for what is to be kept and what others own", async () => {
  const start = (entityId: string, whenOwnerEnds?: "kill" | "keep") =>
    host.createTerminal({ ...shLine("cat"), owner: owner(entityId) }, { whenOwnerEnds });
  const [one, two, kept, others] = await Promise.all([
    start("m1"),
    start("m1", "kill"),
    start("m1", "keep"),
    start("m2"),
  ]);
  const disposed = await host.registry.disposeOwner(owner("m1"));
  expect(new Set(disposed)).toEqual(new Set([one.id, two.id]));
  const running = [one, two, kept, others].map(({ isRunning }) => isRunning);
  expect(running).toEqual([false, false, true, true]);
  expect(host.registry.find(one.id)).toBeUndefined();
  expect((await host.read(one.id)).owner).toEqual(owner("m1"));
});

test("what a session still drives is ended with it, but not what others drive by now", async () => {
  const by = agent("s9");
  const [own, inTurn, taken, kept] = await Promise.all([
    host.createTerminal(shLine("cat"), { by }),
    host.createTerminal(shLine("cat"), {
      by,
      claim: { kind: "session", session: "s9", turnId: "t", toolCallId: "c" },
    }),
    host.createTerminal(shLine("cat"), { by }),
    host.createTerminal(shLine("cat"), { by, whenOwnerEnds: "keep" }),
  ]);
  await taken.claims.move({ wanted: clientClaim("ada"), by: person("ada") });
  const disposed = await host.registry.disposeSession("s9");
  expect(new Set(disposed)).toEqual(new Set([own.id, inTurn.id]));
  expect([taken.isRunning, kept.isRunning]).toEqual([true, true]);
});

test("who only knows the id of a terminal changes nothing by forgetting it", async () => {
  const execution: { terminalId: string | undefined } = { terminalId: undefined };
  const terminal = await host.createTerminal({ ...shLine("echo here; cat"), owner: owner("m3") });
  execution.terminalId = terminal.id;
  await untilText(terminal, "here\n");
  const before = await entriesOf(host, terminal.id);
  execution.terminalId = undefined;
  expect(await entriesOf(host, terminal.id)).toEqual(before);
  expect(terminal.isRunning).toBe(true);
});

test("terminals that nobody needs any more go by themselves, and closing a host ends the rest", async () => {
  const reaped = new Map<string, ReapReason>();
  const { promise, resolve } = Promise.withResolvers<void>();
  using directory = ownDirectory();
  const own = await createHost({
    directory: directory.path,
    reaping: { exitedAfterMs: 100, idleAfterMs: 5000 },
    handleReap: (id, reason) => {
      reaped.set(id, reason);
      if (reaped.size === 2) resolve();
    },
  });
  const exited = await own.createTerminal(shLine("exit 0"));
  const idle = await own.createTerminal(shLine("cat"));
  const stubborn = "trap '' TERM HUP; sleep 100 & while :; do echo busy; sleep 0.05; done";
  const busy = await Promise.all(
    Array.from({ length: 8 }, () => own.createTerminal(shLine(stubborn))),
  );
  await promise;
  expect(reaped).toEqual(
    new Map([
      [exited.id, "exited"],
      [idle.id, "idle"],
    ]),
  );
  expect(new Set(own.registry.list())).toEqual(new Set(busy));
  // Its recording is still there.
  expect(await own.read(exited.id)).toMatchObject({ state: "exited", exitCode: 0 });
  // One that is being created must not be in the way, and leaves nothing behind.
  const late = own.createTerminal(shLine("cat"));
  const [outcome] = await Promise.allSettled([late, own[Symbol.asyncDispose]()]);
  expect(outcome).toMatchObject({ status: "rejected", reason: { code: "unavailable" } });
  expect(busy.filter(({ isRunning }) => isRunning)).toEqual([]);
  await expect(own.createTerminal(shLine("cat"))).rejects.toMatchObject({ code: "unavailable" });
  using store = openSqliteReader(join(directory.path, "recordings.db"));
  const rows = store.listTerminals({ limit: 100 });
  expect(rows).toHaveLength(10);
  const lastTypes = rows.map(({ id: terminalId }) => {
    const page = { terminalId, before: Number.MAX_SAFE_INTEGER, limit: 1, maxBytes: 1 };
    return store.readEntries(page).at(-1)?.type;
  });
  expect(new Set(lastTypes)).toEqual(new Set(["exit"]));
});

const LIMITED = { code: "limit_reached" };

const cat = (entityId: string) => ({
  ...shLine("cat"),
  owner: { entityName: "Task", entityId },
});

/** Leaves room for so many terminals, and none running. */
async function allow(maxTerminals: number): Promise<void> {
  await Promise.all(host.registry.list().map(({ id }) => host.registry.dispose(id)));
  host.registry.limits.maxTerminals = maxTerminals;
}

test("of five that are created at once no more than the limit allows exist", async () => {
  await allow(3);
  const attempts = await Promise.allSettled(
    ["1", "2", "3", "4", "5"].map((id) => host.createTerminal(cat(id))),
  );
  const refused = attempts.filter(({ status }) => status === "rejected");
  expect(refused).toHaveLength(2);
  expect(refused[0]).toMatchObject({ reason: LIMITED });
  expect(host.registry.list()).toHaveLength(3);
});

test("one owner cannot take all places", async () => {
  await allow(100);
  await Promise.all([1, 2, 3, 4, 5].map(() => host.createTerminal(cat("1"))));
  await expect(host.createTerminal(cat("1"))).rejects.toMatchObject({
    ...LIMITED,
    message: "Task 1 has 5 of 5 terminals running",
  });
  await expect(host.createTerminal(cat("2"))).resolves.toMatchObject({ isRunning: true });
});

test("a place is free as soon as a program ended, and only those that run count", async () => {
  await allow(3);
  const [first] = await Promise.all(["1", "2", "3"].map((id) => host.createTerminal(cat(id))));
  await expect(host.createTerminal(cat("4"))).rejects.toMatchObject(LIMITED);
  await first?.kill(LOCAL_CALLER, 0);
  await expect(host.createTerminal(cat("4"))).resolves.toMatchObject({ isRunning: true });
  expect(host.registry.list()).toHaveLength(4);
});

test("the limit can be changed while terminals run, within what a host can hold", async () => {
  await allow(3);
  const { limits } = host.registry;
  await Promise.all(["1", "2", "3"].map((id) => host.createTerminal(cat(id))));
  limits.maxTerminals = 1;
  expect(host.registry.list().filter(({ isRunning }) => isRunning)).toHaveLength(3);
  await expect(host.createTerminal(cat("4"))).rejects.toMatchObject(LIMITED);
  limits.maxTerminals = 4;
  await expect(host.createTerminal(cat("4"))).resolves.toMatchObject({ isRunning: true });
  for (const wrong of [0, 1001, 1.5, Number.NaN]) {
    expect(() => {
      limits.maxTerminals = wrong;
    }).toThrow("maxTerminals: must be an integer from 1 to 1000");
  }
  expect(limits.maxTerminals).toBe(4);
});

test("a command that runs by itself takes a place too, and gives it back", async () => {
  await allow(3);
  await Promise.all(["1", "2", "3"].map((id) => host.createTerminal(cat(id))));
  const input = { owner: OWNER, workingDirectory: "/tmp", command: "/bin/true" };
  await expect(host.exec(input)).rejects.toMatchObject(LIMITED);
  await allow(1);
  await expect(host.exec(input)).resolves.toMatchObject({ exitCode: 0 });
  expect(host.registry.limits.count).toBe(0);
});

test("a limit that is none is refused when the host is opened", async () => {
  await expect(createHost({ limits: { maxTerminals: Number.NaN } })).rejects.toMatchObject({
    code: "invalid_argument",
    field: "maxTerminals",
  });
});
