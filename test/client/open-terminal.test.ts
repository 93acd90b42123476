import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { TerminalMessage } from "@nacre/client";
import type { TerminalId } from "@nacre/contracts";
import { type Host, LOCAL_CALLER } from "@nacre/host";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  type OpenOptions,
  OpenTerminal,
  PING_MS,
} from "../../packages/client/src/open-terminal.ts";
import { StepClock } from "../../packages/client/src/testing/step-clock.ts";
import {
  createRawUpgrades,
  type RawUpgrades,
} from "../../packages/host/src/transports/raw/raw-upgrades.ts";
import { CuttingProxy, listedCuts } from "../support/cutting-proxy.ts";
import { openHost } from "../support/open-host.ts";
import { seededRandom } from "../support/random.ts";
import { shLine } from "../support/terminal-input.ts";
import { DEADLINE_MS, outputOf, type, untilText } from "../support/terminal-output.ts";

let host: Host & AsyncDisposable;
let upgrades: RawUpgrades;
let server: Server;

beforeAll(async () => {
  host = await openHost();
  const handleProblem = (): void => undefined;
  upgrades = createRawUpgrades({ operations: host.operations, handleProblem });
  server = createServer();
  server.on("upgrade", (request, socket, head) => {
    socket.on("error", () => undefined);
    const credential = { name: "test" };
    const admission = { caller: LOCAL_CALLER, credential, peer: "test", source: "test" };
    upgrades.handleUpgrade(request, socket, head, admission);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
});
afterAll(async () => {
  upgrades[Symbol.dispose]();
  server.closeAllConnections();
  server.close();
  await host[Symbol.asyncDispose]();
});

/** A way to the host whose connections break after these numbers of bytes. */
const openWay = (cuts: readonly number[] = []): Promise<CuttingProxy> =>
  CuttingProxy.open({
    target: (server.address() as AddressInfo).port,
    nextCut: listedCuts(cuts),
  });

interface Opening extends OpenOptions {
  readonly way: CuttingProxy;
  readonly clock?: StepClock;
}

/** Opens a terminal; waits before coming back are skipped unless the test has a clock of its own. */
function open(id: TerminalId, { way, clock = new StepClock(10_000), ...options }: Opening) {
  const address = (path: string): Promise<URL> =>
    Promise.resolve(new URL(`ws://127.0.0.1:${way.port}${path}`));
  return new OpenTerminal({ clock, address }, id, options);
}

/** Reads on and on, as a page does. */
function collect(opened: OpenTerminal): readonly TerminalMessage[] {
  const messages: TerminalMessage[] = [];
  void (async () => {
    for await (const message of opened) messages.push(message);
  })();
  return messages;
}

const decode = (bytes: Uint8Array): string => Buffer.from(bytes).toString("latin1");

test("output over connections that break at random places is exactly what was written", async () => {
  const random = seededRandom(7);
  const cuts = Array.from({ length: 40 }, (_, index) => (index === 0 ? 600 : 50) + random() * 2000);
  using way = await openWay(cuts);
  const line = "for n in $(seq 1 300); do echo line $n; sleep 0.004; done; exit 5";
  const terminal = await host.createTerminal(shLine(line));
  await using opened = open(terminal.id, { way, cursor: 0 });
  let text = "";
  let last: TerminalMessage | undefined;
  for await (const message of opened) {
    expect(message.kind).not.toBe("snapshot");
    if (message.kind === "bytes") text += decode(message.bytes);
    last = message;
  }
  expect(text).toBe(await outputOf(terminal));
  expect(last).toEqual({ kind: "exit", exitCode: 5, signal: undefined });
  expect(way.cutCount).toBeGreaterThan(5);
});

test("nothing is typed while there is no connection, and a size is sent when there is one again", async () => {
  using way = await openWay();
  const terminal = await host.createTerminal(shLine("read -r line; stty size; exit"));
  const clock = new StepClock();
  const states: string[] = [];
  const handleConnection = (state: string): void => void states.push(state);
  await using opened = open(terminal.id, { way, clock, handleConnection });
  expect(() => opened.write("early")).toThrow(/no connection/);
  const messages = collect(opened);
  await expect.poll(() => messages[0]).toMatchObject({ kind: "snapshot" });
  way.cut();
  await expect.poll(() => states).toEqual(["connected", "lost"]);
  expect(() => opened.write("late")).toThrow(/no connection/);
  opened.resize({ cols: 66, rows: 11 });
  clock.step();
  const wanted = { kind: "size", size: { cols: 66, rows: 11 } };
  await expect.poll(() => messages).toContainEqual(wanted);
  opened.write("\r");
  await untilText(terminal, "11 66");
});

test("who wants only what is new misses nothing of it when the connection is lost at once", async () => {
  using way = await openWay();
  const terminal = await host.createTerminal(shLine("echo old; read -r line; echo new; cat"));
  await untilText(terminal, "old\n");
  const clock = new StepClock();
  const states: string[] = [];
  const handleConnection = (state: string): void => void states.push(state);
  await using opened = open(terminal.id, { way, clock, cursor: -1, handleConnection });
  const messages = collect(opened);
  const { lastSequence } = terminal;
  await expect.poll(() => opened.cursor).toBe(lastSequence);
  way.cut();
  await expect.poll(() => states).toEqual(["connected", "lost"]);
  await type(terminal, "\r");
  await untilText(terminal, "new\n");
  clock.step();
  const text = (): string =>
    messages.map((message) => (message.kind === "bytes" ? decode(message.bytes) : "")).join("");
  await expect.poll(text).toBe("\r\nnew\r\n");
});

test("a terminal that is killed is seen to its end", async () => {
  using way = await openWay();
  const terminal = await host.createTerminal(shLine("read -r line; kill -9 $$"));
  await using opened = open(terminal.id, { way });
  let last: TerminalMessage | undefined;
  for await (const message of opened) {
    if (message.kind === "snapshot") opened.write("\r");
    last = message;
  }
  expect(last).toEqual({ kind: "exit", exitCode: null, signal: "SIGKILL" });
});

test("a host that falls silent is left and found again", async () => {
  using way = await openWay();
  const terminal = await host.createTerminal(shLine("cat"));
  const clock = new StepClock();
  const states: string[] = [];
  const handleConnection = (state: string): void => void states.push(state);
  await using opened = open(terminal.id, { way, clock, handleConnection });
  const messages = collect(opened);
  await expect.poll(() => messages[0]).toMatchObject({ kind: "snapshot" });
  way.hush();
  for (const state of ["connected", "connected", "lost"]) {
    expect(clock.waiting).toEqual([PING_MS]);
    clock.step();
    await expect.poll(() => states.at(-1)).toBe(state);
  }
  clock.step();
  await expect.poll(() => states).toEqual(["connected", "lost", "connected"]);
});

test("a host that lets in and leaves each time is asked each time later", async () => {
  // What the host says before the first frame.
  const handshake = 129;
  using way = await openWay([Number.POSITIVE_INFINITY, handshake, handshake, handshake]);
  const terminal = await host.createTerminal(shLine("cat"));
  const clock = new StepClock(10_000);
  const states: string[] = [];
  const handleConnection = (state: string): void => void states.push(state);
  await using opened = open(terminal.id, { way, clock, handleConnection });
  const messages = collect(opened);
  await expect.poll(() => messages[0]).toMatchObject({ kind: "snapshot" });
  way.cut();
  await expect.poll(() => states.filter((state) => state === "connected")).toHaveLength(5);
  expect(clock.skipped).toEqual([188, 375, 750, 1500]);
});

test("a listener that does not keep up loses nothing", async () => {
  using way = await openWay();
  const terminal = await host.createTerminal(shLine("seq 1 200000; exit"));
  await using opened = open(terminal.id, { way, cursor: 0 });
  let text = "";
  let isFirst = true;
  for await (const message of opened) {
    if (isFirst) await terminal.wait({ until: [{ kind: "exit" }], timeoutMs: DEADLINE_MS });
    isFirst = false;
    if (message.kind === "snapshot") text = "";
    if (message.kind === "bytes") text += decode(message.bytes);
  }
  expect((await outputOf(terminal)).endsWith(text)).toBe(true);
});
