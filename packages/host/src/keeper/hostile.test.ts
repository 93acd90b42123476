import { once } from "node:events";
import { statSync } from "node:fs";
import { createServer } from "node:net";
import { expect, test } from "vitest";
import type { LocalPeer } from "../auth/peer.ts";
import { ascii, ECHO_LAUNCH, Scratch, spawnReady } from "../pty/contract/pty-fixtures.ts";
import { echoPty } from "../pty/testing/echo-pty.ts";
import { encodeHeader, FRAME_TYPES, MAX_PAYLOAD_BYTES } from "./frames.ts";
import { KeeperLink } from "./keeper-link.ts";
import { answerRequest, Keeper } from "./keeper.ts";
import { RawConnection } from "./testing/raw-connection.ts";
import { TestKeeper } from "./testing/test-keeper.ts";

/** A keeper in this process that believes to know who connects. */
async function keeperFor(scratch: Scratch, peer: LocalPeer | undefined) {
  const keeper = new Keeper({
    drivers: { terminal: echoPty, pipes: echoPty },
    version: "0.0.0-test",
    readPeer: () => peer,
    handleTyped: () => undefined,
    report: (error) => {
      throw error;
    },
    answer: answerRequest,
    leavePlace: () => undefined,
    handleStopped: () => undefined,
  });
  const server = createServer((socket) => keeper.serve(socket));
  server.listen(scratch.file("keeper.sock"));
  await once(server, "listening");
  return {
    keeper,
    socketPath: scratch.file("keeper.sock"),
    [Symbol.dispose]: () => server.close(),
  };
}

test.each([
  ["another user", { uid: (process.getuid?.() ?? 0) + 1, pid: 1 }, /^user \d+ does not own/],
  ["whoever the kernel does not name", undefined, /^an unknown user does not own/],
])("%s is refused, whatever it says", async (_who, peer, message) => {
  using scratch = new Scratch();
  using served = await keeperFor(scratch, peer);
  using raw = new RawConnection(served.socketPath);
  raw.hello();
  expect(await raw.hear(FRAME_TYPES.refusal)).toMatchObject({
    code: "forbidden",
    message: expect.stringMatching(message),
  });
  await raw.closed();
  expect(raw.heard.map(({ type }) => type)).toEqual([FRAME_TYPES.refusal]);
  expect(served.keeper.isConnected).toBe(false);
});

test("nobody but the owner may connect to the socket, nor look into the log", async () => {
  await using keeper = await TestKeeper.start();
  expect(statSync(keeper.socketPath).mode & 0o777).toBe(0o600);
  expect(statSync(keeper.logPath).mode & 0o077).toBe(0);
});

test("a daemon of another wire is refused with both versions, and disturbs nobody", async () => {
  await using keeper = await TestKeeper.start();
  const { link, driver } = await keeper.openDriver();
  using _ = link;
  const { pty, reader } = await spawnReady(driver, ECHO_LAUNCH);
  using raw = new RawConnection(keeper.socketPath);
  raw.hello({ wireVersion: 2 });
  expect(await raw.hear(FRAME_TYPES.refusal)).toMatchObject({
    code: "unsupported",
    message: "the wire has version 1 here and 2 there",
  });
  await raw.closed();
  await pty.write(ascii("undisturbed"));
  await reader.until("undisturbed");
});

test("a daemon whose hello comes after that of one that connected later is refused, and disturbs nobody", async () => {
  await using keeper = await TestKeeper.start();
  using raw = new RawConnection(keeper.socketPath);
  await once(raw.socket, "connect");
  const { link, driver } = await keeper.openDriver();
  using _ = link;
  const { pty, reader } = await spawnReady(driver, ECHO_LAUNCH);
  raw.hello();
  expect(await raw.hear(FRAME_TYPES.refusal)).toMatchObject({ code: "conflict" });
  await raw.closed();
  await pty.write(ascii("undisturbed"));
  await reader.until("undisturbed");
});

test("a newer daemon of the same wire may say more, and is told what is not known", async () => {
  await using keeper = await TestKeeper.start();
  using raw = new RawConnection(keeper.socketPath);
  raw.hello({ version: "99.0.0", colour: "blue" });
  expect(await raw.hear(FRAME_TYPES.hello)).toMatchObject({ wireVersion: 1, pid: keeper.pid });
  raw.say(FRAME_TYPES.request, '{"call":"paint"}', 7);
  expect(await raw.hear(FRAME_TYPES.failure)).toMatchObject({ code: "unsupported" });
  raw.say(FRAME_TYPES.request, '{"call":"list","newer":true}', 8);
  expect(await raw.hear(FRAME_TYPES.answer)).toEqual({ ptys: [] });
});

test("a keeper of another wire is refused by the daemon", async () => {
  using scratch = new Scratch();
  const server = createServer((socket) => {
    const hello = Buffer.from(JSON.stringify({ wireVersion: 2 }));
    socket.write(encodeHeader({ type: FRAME_TYPES.hello, pty: 0, value: 0 }, hello.length));
    socket.write(hello);
  });
  using _ = { [Symbol.dispose]: () => server.close() };
  const socketPath = scratch.file("keeper.sock");
  server.listen(socketPath);
  await once(server, "listening");
  await expect(KeeperLink.connect({ socketPath, version: "1" })).rejects.toMatchObject({
    code: "unsupported",
  });
});

const head = (type: number, bytes: number): Buffer =>
  encodeHeader({ type, pty: 1, value: 0 }, bytes);

test.each<[name: string, bytes: Uint8Array]>([
  ["noise", Buffer.alloc(100, 0xff)],
  ["another protocol", Buffer.from("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")],
  ["a hello that is too large", head(FRAME_TYPES.hello, 5000)],
  ["a request before the hello", Buffer.concat([head(FRAME_TYPES.request, 2), Buffer.from("{}")])],
  ["a hello that is no JSON", Buffer.concat([head(FRAME_TYPES.hello, 3), Buffer.from("{{{")])],
  ["a hello without a version", Buffer.concat([head(FRAME_TYPES.hello, 2), Buffer.from("{}")])],
])("%s instead of a hello is refused, and disturbs nobody", async (_name, bytes) => {
  await using keeper = await TestKeeper.start();
  const { link, driver } = await keeper.openDriver();
  using _ = link;
  const { pty, reader } = await spawnReady(driver, ECHO_LAUNCH);
  using raw = new RawConnection(keeper.socketPath);
  raw.socket.write(bytes);
  expect(await raw.hear(FRAME_TYPES.refusal)).toMatchObject({ code: "invalid_argument" });
  await raw.closed();
  await pty.write(ascii("undisturbed"));
  await reader.until("undisturbed");
});

test.each<[name: string, bytes: Uint8Array]>([
  ["an unknown type", head(99, 0)],
  ["a frame that only a keeper sends", head(FRAME_TYPES.output, 0)],
  ["a frame that is too large", head(FRAME_TYPES.input, MAX_PAYLOAD_BYTES + 1)],
  ["a request that is no JSON", Buffer.concat([head(FRAME_TYPES.request, 1), Buffer.from("[")])],
])("%s cuts the daemon off and harms no program", async (_name, bytes) => {
  await using keeper = await TestKeeper.start();
  const first = await keeper.openDriver();
  const { pty } = await spawnReady(first.driver, ECHO_LAUNCH);
  using raw = new RawConnection(keeper.socketPath);
  raw.hello();
  await raw.hear(FRAME_TYPES.hello);
  raw.socket.write(bytes);
  expect(await raw.hear(FRAME_TYPES.refusal)).toMatchObject({ code: "invalid_argument" });
  await raw.closed();
  const { link, driver } = await keeper.openDriver();
  using _ = link;
  const adopted = await driver.adopt(pty.id, "ready".length);
  await adopted.write(ascii("unharmed"));
  expect(await adopted.read()).toMatchObject({ offset: "ready".length });
});

test("requests with wrong fields are refused one by one", async () => {
  await using keeper = await TestKeeper.start();
  using raw = new RawConnection(keeper.socketPath);
  raw.hello();
  await raw.hear(FRAME_TYPES.hello);
  const launch = { ...ECHO_LAUNCH, size: { cols: 80, rows: 24 } };
  const requests: readonly object[] = [
    {},
    { call: 3 },
    { call: "__proto__" },
    { call: "toString" },
    { call: "spawn" },
    { call: "spawn", kind: "screen", launch },
    { call: "spawn", kind: "terminal", launch: { ...launch, file: "relative" } },
    { call: "spawn", kind: "terminal", launch: { ...launch, args: [1] } },
    { call: "spawn", kind: "terminal", launch: { ...launch, args: ["a\0b"] } },
    { call: "spawn", kind: "terminal", launch: { ...launch, env: { A: null } } },
    { call: "spawn", kind: "terminal", launch: { ...launch, umask: 0o1000 } },
    { call: "spawn", kind: "terminal", launch: { ...launch, size: { cols: 0, rows: 24 } } },
    { call: "adopt", id: "x" },
    { call: "adopt", id: "x", fromOffset: 0 },
    { call: "kill", graceMs: 0 },
    { call: "resize", size: { cols: 80, rows: 24 } },
    { call: "forget" },
  ];
  for (const [value, request] of requests.entries()) {
    raw.say(FRAME_TYPES.request, JSON.stringify(request), value);
  }
  raw.say(FRAME_TYPES.input, "to nobody", 100);
  raw.say(FRAME_TYPES.acknowledge, "", 5);
  raw.say(FRAME_TYPES.consumed, "", 5);
  raw.say(FRAME_TYPES.request, '{"call":"list"}', 101);
  expect(await raw.hear(FRAME_TYPES.answer)).toEqual({ ptys: [] });
  const failures = raw.heard.filter(({ type }) => type === FRAME_TYPES.failure);
  expect(failures.map(({ value }) => value).toSorted((a, b) => a - b)).toEqual([
    ...requests.keys(),
    100,
  ]);
  expect(new Set(failures.map(({ fields }) => fields["code"]))).toEqual(
    new Set(["invalid_argument", "unsupported", "terminal_not_found", "terminal_exited"]),
  );
});
