import { setImmediate as turn } from "node:timers/promises";
import { expect, test } from "vitest";
import type { RootChannel } from "./root-channel.ts";
import { FakeHost, Listener } from "./testing/fake-host.ts";
import { FakeTerminal } from "./testing/fake-terminal.ts";

async function stateOf(root: RootChannel, listener: Listener): Promise<unknown> {
  using prepared = await root.prepare();
  return prepared.take(listener.audience).state;
}

const resourcesIn = (message: unknown): unknown[] =>
  (message as { action: { terminals: { resource: string }[] } }).action.terminals.map(
    ({ resource }) => resource,
  );

test("the root has every terminal, shaped for who asks", async () => {
  const exited = { state: "exited", exit: { exitCode: 3 } } as const;
  const host = new FakeHost({}, [new FakeTerminal("t1"), new FakeTerminal("t2", exited)]);
  const [olga, old] = [new Listener(), new Listener("old", { shape: "exitCode" })];
  const root = host.agentHost.rootFor(olga.context);
  expect(host.agentHost.rootFor(old.context)).toBe(root);
  const claim = { kind: "session", session: "s:1", chat: "s:1" };
  expect(await stateOf(root, olga)).toEqual({
    agents: [],
    activeSessions: 0,
    terminals: [
      { resource: "ahp-terminal:/t1", title: "bash", claim, lifecycle: { status: "running" } },
      {
        resource: "ahp-terminal:/t2",
        title: "bash",
        claim,
        lifecycle: { status: "exited", exitCode: 3 },
      },
    ],
    _meta: { hostBuild: { version: "1.2.3" }, "dev.nacre": { version: "1.2.3" } },
  });
  expect(await stateOf(root, old)).toMatchObject({
    terminals: [{ claim: { session: "s:1" } }, { exitCode: 3 }],
  });
});

test("many changes in one turn are one list, and what changes nothing is none", async () => {
  const host = new FakeHost({ rootMs: 0 });
  const olga = new Listener();
  const root = host.agentHost.rootFor(olga.context);
  root.join(olga);
  host.add(new FakeTerminal("t1"));
  host.add(new FakeTerminal("t2"));
  expect(olga.told).toEqual([]);
  await turn();
  expect(olga.messages.map(resourcesIn)).toEqual([["ahp-terminal:/t1", "ahp-terminal:/t2"]]);
  host.changed();
  await turn();
  expect(olga.told).toHaveLength(1);
});

test("lists come no more often than they may, and the last one always comes", async () => {
  const rootMs = 500;
  const host = new FakeHost({ rootMs });
  const olga = new Listener();
  host.agentHost.rootFor(olga.context).join(olga);
  const begunAt = performance.now();
  for (let count = 0; count < 5; count++) {
    host.add(new FakeTerminal(`t${count}`));
    await turn();
  }
  await olga.until(2);
  expect(performance.now() - begunAt).toBeGreaterThanOrEqual(rootMs - 2);
  expect(olga.messages.map((message) => resourcesIn(message).length)).toEqual([1, 5]);
});

test("who asks is told the newest list at once", async () => {
  const host = new FakeHost({ rootMs: 60_000 }, [new FakeTerminal("t1")]);
  const olga = new Listener();
  const root = host.agentHost.rootFor(olga.context);
  root.refresh();
  root.join(olga);
  host.add(new FakeTerminal("t2"));
  root.refresh();
  expect(olga.told).toHaveLength(1);
  host.add(new FakeTerminal("t3"));
  using prepared = await root.prepare();
  const { state, fromSeq } = prepared.take(olga.audience);
  expect(state).toHaveProperty("terminals.length", 3);
  expect(fromSeq).toBe(olga.told.at(-1)?.envelope.serverSeq);
  expect(prepared.retell(olga)).toBe(host.agentHost.serverSeq);
  expect(resourcesIn(olga.messages.at(-1))).toHaveLength(3);
});

test("agents see their own terminals, and hear nothing of others", async () => {
  const owner = { entityName: "Agent", entityId: "ann" };
  const host = new FakeHost({ rootMs: 0 }, [new FakeTerminal("t1")]);
  const [olga, ann] = [new Listener("olga"), new Listener("ann", { scope: "agent" })];
  const [all, own] = [olga, ann].map(({ context }) => host.agentHost.rootFor(context));
  all?.join(olga);
  own?.join(ann);
  expect(all).not.toBe(own);
  host.add(new FakeTerminal("t2", { owner }));
  host.add(new FakeTerminal("t3"));
  await turn();
  expect(ann.messages.map(resourcesIn)).toEqual([["ahp-terminal:/t2"]]);
  host.add(new FakeTerminal("t4"));
  await turn();
  expect(ann.told).toHaveLength(1);
  expect(olga.told).toHaveLength(2);
  const { agentHost } = host;
  expect(agentHost.findTerminal("ahp-terminal:/t1", ann.context)).toBeUndefined();
  expect(agentHost.findTerminal("ahp-terminal:/t1", olga.context)).toBe("terminal:t1");
  await expect(agentHost.openTerminal("ahp-terminal:/t1", ann.context)).rejects.toThrow(
    "there is no channel",
  );
});

test("who comes back is told every list it missed, or the newest in place of all", async () => {
  const host = new FakeHost({ rootMs: 0, rootHistoryBytes: 2000 });
  const olga = new Listener();
  const root = host.agentHost.rootFor(olga.context);
  const { serverSeq } = host.agentHost;
  for (const uid of ["t1", "t2"]) {
    host.add(new FakeTerminal(uid));
    root.refresh();
  }
  expect(root.after(serverSeq)).toHaveLength(2);
  expect(root.after(serverSeq + 1)).toHaveLength(1);
  for (const uid of ["t3", "t4", "t5", "t6", "t7"]) {
    host.add(new FakeTerminal(uid));
    root.refresh();
  }
  const [newest, ...others] = root.after(serverSeq) ?? [];
  expect(others).toEqual([]);
  expect(newest?.serverSeq).toBe(host.agentHost.serverSeq);
  expect(root.after(0)).toBeUndefined();
});

test("an address is given once, also while its terminal is being created", () => {
  const uri = "agenthost-terminal:/u-1";
  const owner = { entityName: "Person", entityId: "olga", attributes: { ahpChannel: uri } };
  const host = new FakeHost();
  const olga = new Listener();
  const { agentHost } = host;
  const reserved = agentHost.reserve(uri);
  expect(() => agentHost.reserve(uri)).toThrow("there is a terminal");
  host.add(new FakeTerminal("t1", { owner }));
  reserved[Symbol.dispose]();
  expect(() => agentHost.reserve(uri)).toThrow("there is a terminal");
  expect(() => agentHost.reserve("ahp-terminal:/t1")).toThrow("there is a terminal");
  expect(agentHost.findTerminal(uri, olga.context)).toBe("terminal:t1");
  expect(agentHost.findTerminal("ahp-terminal:/t1", olga.context)).toBe("terminal:t1");
  agentHost.reserve("other:/x")[Symbol.dispose]();
  agentHost.reserve("other:/x")[Symbol.dispose]();
});

test("of two terminals that claim the same address the older has it", async () => {
  const uri = "agenthost-terminal:/u-1";
  const owner = { entityName: "Person", entityId: "olga", attributes: { ahpChannel: uri } };
  const host = new FakeHost({}, [
    new FakeTerminal("t1", { owner }),
    new FakeTerminal("t2", { owner }),
  ]);
  const olga = new Listener();
  const state = await stateOf(host.agentHost.rootFor(olga.context), olga);
  expect(state).toMatchObject({ terminals: [{ resource: uri }, { resource: "ahp-terminal:/t2" }] });
});
