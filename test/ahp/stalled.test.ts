import { isDeepStrictEqual } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { AhpClient, ownChannel } from "../support/ahp-client.ts";
import { type TerminalState, textOf } from "../support/ahp-mirror.ts";
import { DaemonProcess } from "../support/daemon-process.ts";
import { INSPECTABLE } from "../support/garbage-collection.ts";
import { ownDirectory } from "../support/own-directory.ts";
import { ResidentMemory } from "../support/resident-memory.ts";

/** Far more than the kernel, the socket and the host keep for one reader together. */
const FLOOD_BYTES = 24 * 1024 * 1024;

/** What clients that do not read may cost all together. */
const MAX_GROWTH_BYTES = 40 * 1024 * 1024;

/** What waits for one of them, most of it in the kernel. */
const MAX_HELD_LENGTH = 12 * 1024 * 1024;

const STALLED = 5;

/** Longer than what the program says at the end. */
const TAIL_LENGTH = 200;

/** A daemon in a process of its own takes a while to start and to flood where many tests run at once. */
const PATIENCE = { timeout: 240_000 };

/** Threads that draw give way: behind a flood, a machine that is busy with something else lets a screen wait for this long. */
const MAX_SCREEN_MS = 60_000;

let stack: AsyncDisposableStack;
let daemon: DaemonProcess;
beforeAll(async () => {
  stack = new AsyncDisposableStack();
  const { path: home } = stack.use(ownDirectory());
  daemon = stack.use(await DaemonProcess.start({ home, env: INSPECTABLE }));
});
afterAll(() => stack.disposeAsync());

/** A client that keeps no more than its mirrors and knows how its last output ended, which is all that floods allow. */
class FloodedClient {
  readonly ahp: AhpClient;
  /** How often it was told to begin anew. */
  resyncs = 0;
  /** How many characters of output it got before it was told so for the first time. */
  lengthBefore = 0;
  /** Is told how much output each action brings. */
  handleOutput = (_length: number): void => undefined;
  #tail = "";
  #handleTail = (): void => undefined;

  private constructor(ahp: AhpClient) {
    this.ahp = ahp;
    let last = 0;
    ahp.handleEnvelope = ({ action, serverSeq }) => {
      ahp.forget();
      if (serverSeq <= last) throw new Error(`${serverSeq} came after ${last}`);
      last = serverSeq;
      if (action.type === "terminal/cleared") this.resyncs += 1;
      if (action.type !== "terminal/data") return;
      const { length } = action.data ?? "";
      this.handleOutput(length);
      if (this.resyncs === 0) this.lengthBefore += length;
      this.#tail = (this.#tail + (action.data ?? "").slice(-TAIL_LENGTH)).slice(-TAIL_LENGTH);
      this.#handleTail();
    };
  }

  static async connect(): Promise<FloodedClient> {
    const url = `${daemon.url.replace("http:", "ws:")}/?tkn=${daemon.token}`;
    const ahp = stack.use(await AhpClient.open(url));
    ahp.deadlineMs = MAX_SCREEN_MS;
    await ahp.initialize();
    return new FloodedClient(ahp);
  }

  /** Resolves when the last output has this text; waits as long as the test may take. */
  async untilTail(text: string): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#handleTail = () => this.#tail.includes(text) && resolve();
      this.#handleTail();
    });
  }
}

/** Resolves with a fresh state once the mirror says the same: behind a flood a terminal is shown provisionally, and told anew when it is drawn. */
async function untilLevel(client: AhpClient, channel: string): Promise<TerminalState> {
  let state: TerminalState | undefined;
  const isLevel = async (): Promise<boolean> => {
    const { mirrored, fresh } = await client.compare(channel);
    state = fresh;
    return isDeepStrictEqual(mirrored, fresh);
  };
  await expect.poll(isLevel, { timeout: MAX_SCREEN_MS, interval: 500 }).toBe(true);
  return state as unknown as TerminalState;
}

/** Writes so many bytes of numbers each time it is told to, then says how often it did. */
const FLOOD = `stty -echo -opost; n=0
while read -r line; do
  seq -s ' ' 1 10000000 | head -c ${FLOOD_BYTES}; n=$((n + 1)); printf '\\r\\nflood %d is over\\r\\n' $n
done`;

/** Starts a terminal that can be flooded. */
async function createFlood(client: AhpClient): Promise<string> {
  const channel = ownChannel();
  const launch = { command: "/bin/sh", args: ["-c", FLOOD] };
  await client.createTerminal(channel, { _meta: { "dev.nacre": launch } });
  await client.watch(channel);
  return channel;
}

test(
  "clients that never read cost little, slow nobody, and are level again when they read",
  PATIENCE,
  async () => {
    const reader = await FloodedClient.connect();
    const channel = await createFlood(reader.ahp);
    const flood = async (number: number): Promise<number> => {
      using memory = await ResidentMemory.watch(daemon);
      reader.ahp.type(channel, "\r");
      await reader.untilTail(`flood ${number} is over`);
      return await memory.growth();
    };
    // The first flood makes the host grow to its size.
    await flood(1);
    const stalled = await Promise.all(
      Array.from({ length: STALLED }, () => FloodedClient.connect()),
    );
    await Promise.all(stalled.map(({ ahp }) => ahp.watch(channel)));
    for (const { ahp } of stalled) ahp.socket.pause();
    const watched = await flood(2);
    expect(watched).toBeLessThan(MAX_GROWTH_BYTES);
    // What they say arrives though they do not read.
    stalled[0]?.ahp.dispatch(channel, { type: "terminal/titleChanged", title: "said blindly" });
    await reader.ahp.until(() => reader.ahp.terminal(channel).title === "said blindly");
    for (const { ahp } of stalled) ahp.socket.resume();
    await Promise.all(stalled.map((client) => client.untilTail("flood 2 is over")));
    expect(Math.max(...stalled.map(({ lengthBefore }) => lengthBefore))).toBeLessThan(
      MAX_HELD_LENGTH,
    );
    expect(Math.min(...stalled.map(({ resyncs }) => resyncs))).toBeGreaterThan(0);
    for (const { ahp } of stalled) {
      await ahp.until(() => ahp.terminal(channel).title === "said blindly");
      await untilLevel(ahp, channel);
    }
    // They follow again like everybody.
    await flood(3);
    await Promise.all(stalled.map((client) => client.untilTail("flood 3 is over")));
  },
);

/** What is typed into a shell: much, then commands of every kind, then one that goes on. */
const TYPED = [
  `seq -s ' ' 1 10000000 | head -c ${FLOOD_BYTES}`,
  "cd /usr && echo 漢字 👍",
  "(exit 3)",
  "stty -echo; echo 'almost'' there'; cat",
];

test("a client that did not read is told anew which commands there were", PATIENCE, async () => {
  const reader = await FloodedClient.connect();
  const channel = ownChannel();
  await reader.ahp.createTerminal(channel, { _meta: { "dev.nacre": { shell: "bash" } } });
  await reader.ahp.watch(channel);
  const stalled = await FloodedClient.connect();
  await stalled.ahp.watch(channel);
  stalled.ahp.socket.pause();
  for (const line of TYPED) reader.ahp.type(channel, `${line}\r`);
  await reader.untilTail("almost there");
  reader.ahp.dispatch(channel, { type: "terminal/resized", cols: 100, rows: 30 });
  reader.ahp.type(channel, "the end\r");
  await reader.untilTail("the end");
  stalled.ahp.socket.resume();
  await stalled.untilTail("the end");
  const fresh = await untilLevel(stalled.ahp, channel);
  expect(stalled.resyncs).toBeGreaterThan(0);
  expect(fresh).toMatchObject({ cols: 100, rows: 30, cwd: "file:///usr" });
  const commands = fresh.content.filter(({ type }) => type === "command");
  expect(commands.slice(-3)).toMatchObject([
    { commandLine: TYPED[1], exitCode: 0, output: "漢字 👍\r\n" },
    { commandLine: TYPED[2], exitCode: 3, output: "" },
    { commandLine: TYPED[3], isComplete: false },
  ]);
});

/** What a client reads at once. */
const READ_LENGTH = 4 * 1024 * 1024;

/** What goes by while it does not read: more than is held for it, and until the middle of a flood. */
const UNREAD_LENGTH = FLOOD_BYTES + READ_LENGTH;

/** More than any action has, and less than what a snapshot has as it was written. */
const COMPARED_LENGTH = 300_000;

test(
  "a client that reads now and then is told anew each time, and misses nothing in the end",
  PATIENCE,
  async () => {
    const reader = await FloodedClient.connect();
    const channel = await createFlood(reader.ahp);
    const hesitant = await FloodedClient.connect();
    await hesitant.ahp.watch(channel);
    // Before it reads much: the kernel holds tens of megabytes for who was seen to read fast.
    hesitant.ahp.socket.pause();
    let length = 0;
    reader.handleOutput = (more) => {
      const { socket } = hesitant.ahp;
      length += more;
      if (length < (socket.isPaused ? UNREAD_LENGTH : READ_LENGTH)) return;
      length = 0;
      if (socket.isPaused) socket.resume();
      else socket.pause();
    };
    for (const number of [1, 2, 3]) {
      reader.ahp.type(channel, "\r");
      await reader.untilTail(`flood ${number} is over`);
    }
    reader.handleOutput = () => undefined;
    hesitant.ahp.socket.resume();
    await hesitant.untilTail("flood 3 is over");
    expect(hesitant.resyncs).toBeGreaterThan(0);
    // What was told in the middle of a flood may be provisional: it is told anew once the flood is drawn.
    const differences = async (): Promise<number> => {
      const { mirrored, fresh } = await hesitant.ahp.compare(channel);
      expect({ ...mirrored, content: [] }).toEqual({ ...fresh, content: [] });
      const tails = [mirrored, fresh].map(({ content }) => textOf(content).slice(-COMPARED_LENGTH));
      // Compared by hand: nobody can read what differs.
      return new Set(tails).size - 1;
    };
    await expect.poll(differences, { timeout: 60_000, interval: 500 }).toBe(0);
  },
);

test("pings are answered while a terminal floods", PATIENCE, async () => {
  const reader = await FloodedClient.connect();
  const channel = await createFlood(reader.ahp);
  const pinging = await FloodedClient.connect();
  let isOver = false;
  reader.ahp.type(channel, "\r");
  const flooded = reader.untilTail("flood 1 is over").then(() => (isOver = true));
  let pings = 0;
  for (; !isOver; pings++) await pinging.ahp.request("ping");
  await flooded;
  // One that waited for the flood to pass would have been the only one.
  expect(pings).toBeGreaterThan(3);
});
