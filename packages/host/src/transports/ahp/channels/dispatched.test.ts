import { ClientId } from "@nacre/contracts";
import { expect, test } from "vitest";
import { FakeHost, Listener } from "./testing/fake-host.ts";
import { FakeTerminal } from "./testing/fake-terminal.ts";

const URI = "ahp-terminal:/t1";
const AGREEMENT = { version: "1.0.0", shape: "lifecycle" } as const;

/** One terminal that two connections of different callers follow. */
async function shared() {
  const terminal = new FakeTerminal("t1");
  const host = new FakeHost({}, [terminal]);
  const [olga, rita] = [new Listener("olga"), new Listener("rita")];
  const channel = await host.agentHost.openTerminal(URI, olga.context);
  for (const listener of [olga, rita]) {
    host.agentHost.clients.connect(listener, AGREEMENT);
    channel.join(listener);
  }
  return { host, terminal, channel, olga, rita };
}

test("what a client asked for is told once, with who asked", async () => {
  const { host, terminal, channel, olga, rita } = await shared();
  const action = { type: "terminal/resized", cols: 100, rows: 30 } as const;
  const expectation = channel.expect(action, olga.origin(4));
  terminal.append({ type: "resize", cols: 100, rows: 30 });
  await expectation.settle();
  const told = { channel: URI, action, serverSeq: host.agentHost.serverSeq };
  expect(olga.messages).toEqual([{ ...told, origin: { clientId: "window", clientSeq: 4 } }]);
  expect(rita.messages).toEqual([{ ...told, origin: { clientId: "olga#window", clientSeq: 4 } }]);
  // The next one is somebody else's.
  terminal.append({ type: "resize", cols: 100, rows: 30 });
  await olga.until(2);
  expect(olga.messages[1]).not.toHaveProperty("origin");
});

test("what changes nothing is told alone", async () => {
  const { channel, olga } = await shared();
  const action = { type: "terminal/resized", cols: 80, rows: 24 } as const;
  await channel.expect(action, olga.origin(1)).settle();
  expect(olga.messages).toMatchObject([{ action, origin: { clientSeq: 1 } }]);
});

test("what was done in another way is told as it was asked for, and then as it is", async () => {
  const { terminal, channel, olga } = await shared();
  const asked = { type: "terminal/titleChanged", title: " build " } as const;
  const expectation = channel.expect(asked, olga.origin(1));
  terminal.append({ type: "title", title: "build" });
  await expectation.settle();
  const real = { type: "terminal/titleChanged", title: "build" };
  expect(olga.actions).toEqual([real, asked, real]);
  expect(olga.messages.map(({ origin }) => origin !== undefined)).toEqual([false, true, false]);
});

test("a name that is taken away is found by who took it", async () => {
  const { terminal, channel, olga } = await shared();
  const expectation = channel.expect({ type: "terminal/titleChanged", title: "" }, olga.origin(1));
  terminal.append({ type: "title", title: "vim" });
  const { id: by } = olga.context.caller;
  terminal.append({ type: "title", title: "", by });
  await expectation.settle();
  expect(olga.messages).toMatchObject([
    { action: { title: "vim" } },
    { action: { title: "bash" }, origin: { clientSeq: 1 } },
  ]);
});

test("what was given up is not told, and says whether it was before", async () => {
  const { terminal, channel, olga } = await shared();
  const action = { type: "terminal/cleared" } as const;
  expect(channel.expect(action, olga.origin(1)).cancel()).toBe(true);
  const expectation = channel.expect(action, olga.origin(2));
  terminal.append({ type: "clear" });
  await olga.until(1);
  expect(expectation.cancel()).toBe(false);
  expect(olga.messages).toMatchObject([{ action, origin: { clientSeq: 2 } }]);
});

test("two who ask for the same are told one after the other", async () => {
  const { terminal, channel, olga, rita } = await shared();
  const clientId = ClientId.parse("nina#window");
  const claim = { kind: "client", clientId } as const;
  const first = channel.expect({ type: "terminal/claimed", claim }, olga.origin(1));
  const second = channel.expect({ type: "terminal/claimed", claim }, rita.origin(1));
  terminal.append({ type: "claim", claim, epoch: 2 });
  await Promise.all([first.settle(), second.settle()]);
  expect(olga.messages.map(({ origin }) => origin)).toEqual([
    { clientId: "window", clientSeq: 1 },
    { clientId: "rita#window", clientSeq: 1 },
  ]);
  expect(olga.told.map(({ envelope }) => envelope.action)).toHaveLength(2);
});

test("input is told to all; a secret only to its client, without a word of it", async () => {
  const { host, channel, olga, rita } = await shared();
  const begin = host.agentHost.serverSeq;
  channel.echoInput("ls\r", olga.origin(1), false);
  channel.echoInput("hunter2\r", olga.origin(2), true);
  expect(rita.messages).toMatchObject([{ action: { type: "terminal/input", data: "ls\r" } }]);
  expect(olga.messages).toMatchObject([
    { action: { data: "ls\r" }, origin: { clientId: "window", clientSeq: 1 } },
    { action: { type: "terminal/input", data: "" }, origin: { clientSeq: 2 } },
  ]);
  expect(olga.told[1]?.envelope.isOwn).toBe(true);
  expect(host.agentHost.clients.find(olga.clientId)?.after(begin)).toHaveLength(1);
});

test("what is rejected is told to its client alone, and then what is true", async () => {
  const { host, channel, olga, rita } = await shared();
  const begin = host.agentHost.serverSeq;
  const action = { type: "terminal/claimed", claim: { kind: "client", clientId: "window" } };
  channel.reject(action, rita.origin(9), "held by another");
  expect(olga.told).toEqual([]);
  expect(rita.messages).toMatchObject([
    {
      action,
      origin: { clientId: "window", clientSeq: 9 },
      rejectionReason: "held by another",
    },
    {
      action: { type: "terminal/claimed", claim: { kind: "session", session: "s:1", chat: "s:1" } },
    },
  ]);
  expect(rita.messages[1]).not.toHaveProperty("origin");
  expect(rita.messages[1]).not.toHaveProperty("rejectionReason");
  expect(channel.after(host.agentHost.serverSeq - 2)).toEqual([]);
  expect(host.agentHost.clients.find(rita.clientId)?.after(begin)).toHaveLength(2);
});

test("who does not follow the terminal hears of its rejection, and no more", async () => {
  const { channel, olga, rita } = await shared();
  channel.leave(rita);
  channel.reject({ type: "terminal/titleChanged" }, rita.origin(1), "no title", "other:/name");
  channel.reject({ type: "x-unheard-of" }, olga.origin(1), "not known here");
  expect(rita.messages).toMatchObject([{ channel: "other:/name", rejectionReason: "no title" }]);
  expect(olga.messages).toMatchObject([{ channel: URI, rejectionReason: "not known here" }]);
});

test("a rejection on a channel that is not there reaches its client", async () => {
  const { host, olga, rita } = await shared();
  host.agentHost.reject("ahp-terminal:/no", { type: "terminal/input" }, rita.origin(2), "unknown");
  expect(rita.messages).toMatchObject([
    { channel: "ahp-terminal:/no", rejectionReason: "unknown", origin: { clientSeq: 2 } },
  ]);
  expect(olga.told).toEqual([]);
});

test("who is told anew ends up with the state of everybody", async () => {
  const { host, terminal, channel, olga, rita } = await shared();
  terminal.write("text");
  terminal.append({ type: "resize", cols: 90, rows: 20 });
  await olga.until(2);
  using prepared = await channel.prepare();
  const before = rita.told.length;
  const last = prepared.retell(rita);
  expect(last).toBe(host.agentHost.serverSeq);
  expect(rita.actions.slice(before)).toEqual([
    { type: "terminal/cleared" },
    { type: "terminal/data", data: "text" },
    { type: "terminal/resized", cols: 90, rows: 20 },
    { type: "terminal/claimed", claim: { kind: "session", session: "s:1" } },
    { type: "terminal/titleChanged", title: "bash" },
    { type: "terminal/cwdChanged", cwd: "file:///srv" },
  ]);
  expect(olga.told).toHaveLength(2);
});
