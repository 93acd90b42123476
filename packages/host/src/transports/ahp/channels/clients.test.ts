import { ClientId } from "@nacre/contracts";
import { expect, test } from "vitest";
import { Clients } from "./clients.ts";
import { Envelope, ServerSeq } from "./envelope.ts";
import { Listener } from "./testing/fake-host.ts";

const AGREEMENT = { version: "1.0.0", shape: "lifecycle" } as const;

function clientsOf(limits: { clients?: number; ownHistoryBytes?: number } = {}) {
  const clock = { now: 0 };
  const numbers = new ServerSeq();
  const problems: unknown[] = [];
  const clients = new Clients({
    numbers,
    limits: { clientMs: 1000, clients: 10, ownHistoryBytes: 10_000, ...limits },
    now: () => clock.now,
    handleProblem: (error) => void problems.push(error),
  });
  return { clients, clock, numbers, problems };
}

const ownEnvelope = (serverSeq: number): Envelope =>
  new Envelope({
    serverSeq,
    channel: "ahp-terminal:/t1",
    sequence: 0,
    action: { type: "terminal/input", data: "" },
    isOwn: true,
  });

test("a client is remembered while it is connected, and for a while after", () => {
  const { clients, clock } = clientsOf();
  const olga = new Listener("olga");
  expect(clients.isKnown(olga.clientId)).toBe(false);
  const [one, two] = [
    clients.connect(olga, AGREEMENT),
    clients.connect(new Listener("olga"), AGREEMENT),
  ];
  one.record.sessions.add("s:1");
  expect(two.record).toBe(one.record);
  expect(one.record.connections.size).toBe(2);
  clock.now = 5000;
  one[Symbol.dispose]();
  expect(clients.isKnown(olga.clientId)).toBe(true);
  two[Symbol.dispose]();
  two[Symbol.dispose]();
  clock.now = 5999;
  expect(clients.find(olga.clientId)?.sessions.has("s:1")).toBe(true);
  clock.now = 6000;
  expect(clients.find(olga.clientId)).toBeUndefined();
});

test("who comes back is remembered anew, with what was agreed on last", () => {
  const { clients, clock } = clientsOf();
  const olga = new Listener("olga");
  clients.connect(olga, AGREEMENT)[Symbol.dispose]();
  clock.now = 900;
  const older = { version: "0.5.0", shape: "exitCode" } as const;
  const { record } = clients.connect(olga, older);
  clock.now = 100_000;
  expect(clients.find(olga.clientId)).toBe(record);
  expect(record.agreement).toEqual(older);
});

test("of too many clients those who left first are forgotten, and none that is there", () => {
  const { clients } = clientsOf({ clients: 2 });
  const listeners = ["a", "b", "c", "d"].map((name) => new Listener(name));
  const connections = listeners.map((listener) => clients.connect(listener, AGREEMENT));
  expect(listeners.map(({ clientId }) => clients.isKnown(clientId))).toEqual([
    true,
    true,
    true,
    true,
  ]);
  connections[2]?.[Symbol.dispose]();
  connections[0]?.[Symbol.dispose]();
  connections[1]?.[Symbol.dispose]();
  expect(listeners.map(({ clientId }) => clients.isKnown(clientId))).toEqual([
    false,
    true,
    false,
    true,
  ]);
});

test("what is for one client is kept for it and offered to all its connections", () => {
  const { clients, numbers, problems } = clientsOf();
  const [one, other, broken] = [new Listener("olga"), new Listener("olga"), new Listener("olga")];
  broken.offer = () => {
    throw new Error("broken");
  };
  for (const listener of [broken, one, other]) clients.connect(listener, AGREEMENT);
  const record = clients.find(ClientId.parse("olga#window"));
  record?.publish(ownEnvelope(numbers.next()));
  record?.publish(ownEnvelope(numbers.next()), (connection) =>
    connection === one ? ["a:/", "b:/"] : [],
  );
  expect(one.told.map(({ channel }) => channel)).toEqual(["ahp-terminal:/t1", "a:/", "b:/"]);
  expect(other.told).toHaveLength(1);
  expect(problems).toHaveLength(1);
  expect(record?.after(1)).toHaveLength(2);
  expect(record?.after(2)).toHaveLength(1);
});

test("a client knows what was dropped of its own", () => {
  const { clients, numbers } = clientsOf({ ownHistoryBytes: 1500 });
  numbers.next();
  const { record } = clients.connect(new Listener("olga"), AGREEMENT);
  expect(record.after(1)).toBeUndefined();
  expect(record.after(2)).toEqual([]);
  for (let count = 0; count < 10; count++) record.publish(ownEnvelope(numbers.next()));
  expect(record.after(2)).toBeUndefined();
  expect(record.after(numbers.last - 1)).toHaveLength(1);
});

test("a session is that of one caller's clients, as long as one of them is remembered", () => {
  const { clients, clock } = clientsOf();
  const [olga, rita] = [new Listener("olga"), new Listener("rita")];
  const connection = clients.connect(olga, AGREEMENT);
  clients.connect(rita, AGREEMENT);
  connection.record.sessions.add("s:1");
  expect(clients.isSessionOfOther("s:1", olga.audience.callerId)).toBe(false);
  expect(clients.isSessionOfOther("s:1", rita.audience.callerId)).toBe(true);
  expect(clients.isSessionOfOther("s:2", rita.audience.callerId)).toBe(false);
  connection[Symbol.dispose]();
  clock.now = 999;
  expect(clients.isSessionOfOther("s:1", rita.audience.callerId)).toBe(true);
  clock.now = 1000;
  expect(clients.isSessionOfOther("s:1", rita.audience.callerId)).toBe(false);
});
