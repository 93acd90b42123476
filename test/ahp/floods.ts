// Clients that subscribe in the middle of floods that never end, while another one follows.
import assert from "node:assert/strict";
import { loadavg } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import { ownChannel, ROOT } from "../support/ahp-client.ts";
import { DaemonProcess } from "../support/daemon-process.ts";
import { ownDirectory } from "../support/own-directory.ts";
import { RpcConnection } from "../support/rpc-connection.ts";
import type { Run } from "../support/target.ts";

/** Output that never ends: short lines, lines of many rows, one line, and whatever bytes there are. */
export const FLOODS: Readonly<Record<string, string>> = {
  yes: "exec yes",
  "yes, 3000 letters a line": "exec yes $(head -c 3000 /dev/zero | tr '\\0' x)",
  "base64 -w 0 /dev/urandom": "exec base64 -w 0 /dev/urandom",
  "cat /dev/urandom": "exec cat /dev/urandom",
};

/** How long each flood is watched in the whole suite. */
const FLOOD_MS = 60_000;

/** Less would not even fill what the host keeps. */
const LEAST_FLOOD_MS = 4_000;

/** When so much of it was told, a flood has begun. */
const BEGUN_BYTES = 1024 * 1024;

/** Between two subscriptions. */
const PAUSE_MS = 200;

/** How often memory is looked at. */
const LOOK_MS = 100;

/** An answer, and how long the follower hears nothing; on a machine that has nothing else to do. */
const MAX_ANSWER_MS = 1_000;
const MAX_SILENCE_MS = 5_000;

/** An answer has about a mebibyte of output; controls and broken characters take up to six bytes each where they are spelled. */
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;

/** A daemon that floods has some 300 MB without anybody who subscribes. */
const MAX_RESIDENT_BYTES = 700 * 1024 * 1024;

/** What was seen in one flood. */
interface FloodSeen {
  readonly subscriptions: number;
  readonly slowestMs: number;
  readonly largestBytes: number;
  readonly residentBytes: number;
  /** The longest time in which the follower heard nothing. */
  readonly silenceMs: number;
  readonly followedBytes: number;
}

/** A connection that keeps nothing of what it is told. */
class FloodedConnection extends RpcConnection {
  bytes = 0;
  silenceMs = 0;
  #heardAt = performance.now();

  static async open(daemon: DaemonProcess, clientId: string): Promise<FloodedConnection> {
    const url = `${daemon.url.replace("http:", "ws:")}/?tkn=${daemon.token}`;
    const connection = new FloodedConnection(url);
    connection.deadlineMs = LONGEST_ANSWER_MS;
    await connection.untilOpen();
    const offer = { channel: ROOT, clientId, protocolVersions: ["1.0.0"] };
    await connection.request("initialize", offer);
    connection.#heardAt = performance.now();
    return connection;
  }

  protected override handleNotification(method: string): void {
    if (method !== "action") return;
    const now = performance.now();
    this.silenceMs = Math.max(this.silenceMs, now - this.#heardAt);
    this.#heardAt = now;
    this.bytes += this.frames.at(-1)?.text.length ?? 0;
    this.forget();
  }
}

/** Who gets no answer for this long never gets one. */
const LONGEST_ANSWER_MS = 60_000;

/** Floods one terminal after the other; throws unless all were answered soon, with little, and by a daemon that stayed small. */
export async function subscribeInFloods({
  scale,
  progress,
}: Pick<Run, "scale" | "progress">): Promise<string> {
  const names = Object.keys(FLOODS);
  const lines: string[] = [];
  const late: string[] = [];
  for (const [index, name] of names.entries()) {
    const seen = await flood(FLOODS[name] ?? "", Math.max(LEAST_FLOOD_MS, FLOOD_MS * scale));
    const line = `${name}: ${seen.subscriptions} answers, the slowest after ${Math.round(seen.slowestMs)} ms, the largest ${mebibytes(seen.largestBytes)}; memory ${mebibytes(seen.residentBytes)}; the follower got ${mebibytes(seen.followedBytes)} and never waited longer than ${Math.round(seen.silenceMs)} ms`;
    lines.push(line);
    const isSmall =
      seen.largestBytes <= MAX_ANSWER_BYTES && seen.residentBytes <= MAX_RESIDENT_BYTES;
    const isSoon = seen.slowestMs <= MAX_ANSWER_MS && seen.silenceMs <= MAX_SILENCE_MS;
    if (!isSmall || !isSoon) late.push(line);
    progress(index + 1, names.length);
  }
  const load = `load ${loadavg()
    .map((one) => one.toFixed(1))
    .join(" ")}`;
  assert.equal(late.length, 0, [...lines, load].join("; "));
  return [...lines, load].join("; ");
}

/** Floods a terminal of a daemon of its own, and subscribes to it again and again. */
export async function flood(line: string, durationMs: number): Promise<FloodSeen> {
  await using stack = new AsyncDisposableStack();
  const { path: home } = stack.use(ownDirectory());
  const env = { NACRE_KEEPER: "off" };
  const daemon = stack.use(await DaemonProcess.start({ home, env }));
  const follower = stack.use(await FloodedConnection.open(daemon, "follower"));
  const channel = ownChannel();
  const claim = { kind: "client", clientId: "follower" };
  const _meta = { "dev.nacre": { command: "/bin/sh", args: ["-c", line] } };
  await follower.request("createTerminal", { channel, claim, _meta });
  await follower.request("subscribe", { channel });
  let residentBytes = 0;
  const look = setInterval(() => {
    if (daemon.isRunning) residentBytes = Math.max(residentBytes, daemon.residentBytes);
  }, LOOK_MS);
  stack.defer(() => clearInterval(look));
  await follower.until(() => follower.bytes >= BEGUN_BYTES, "the flood");
  const end = performance.now() + durationMs;
  let [subscriptions, slowestMs, largestBytes] = [0, 0, 0];
  while (performance.now() < end) {
    await delay(PAUSE_MS);
    using newcomer = await FloodedConnection.open(daemon, "newcomer");
    const askedAt = performance.now();
    const { error } = await newcomer.ask("subscribe", { channel }, () => {
      slowestMs = Math.max(slowestMs, performance.now() - askedAt);
      largestBytes = Math.max(largestBytes, newcomer.frames.at(-1)?.text.length ?? 0);
    });
    assert.equal(error, undefined);
    subscriptions++;
    const { bytes } = follower;
    await follower.until(() => follower.bytes > bytes, "more of the flood");
  }
  const { silenceMs, bytes: followedBytes } = follower;
  return { subscriptions, slowestMs, largestBytes, residentBytes, silenceMs, followedBytes };
}

const mebibytes = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(1)} MiB`;
