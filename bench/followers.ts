// How soon a key is shown while another terminal floods, with and without programs that hear everything of all terminals.
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { NacreClient } from "@nacre/client";
import type { TerminalId } from "@nacre/contracts";
import { z } from "zod";
import { shareOf } from "../test/reliability/spread.ts";
import { DaemonProcess } from "../test/support/daemon-process.ts";
import { isOfKind, tooEarly } from "./viewer-told.ts";

const ROUNDS = 6;
const ROUND_MS = 5_000;
const FOLLOWERS = 10;
/** Between two keys, as somebody who types fast; without it, keys would be a load of their own. */
const PAUSE_MS = 10;
/** Echo with followers takes at most so many times what it takes without, p95. */
const MAX_RATIO = 2;

const SIDES = ["alone", "followed"] as const;
type Side = (typeof SIDES)[number];

const Told = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("open") }),
  z.object({ kind: z.literal("heard"), bytes: z.number(), resyncs: z.number() }),
]);
type Told = z.infer<typeof Told>;

/** Presses keys in turns without and with followers, and prints both with the target. */
export async function benchFollowers(): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), "nacre-bench-"));
  try {
    await using daemon = await DaemonProcess.start({ home, hasOwnSession: true });
    const client = daemon.client();
    await client.createTerminal({ command: "/usr/bin/yes" });
    const typed = await startCat(client);
    await pressKeys(client, typed, ROUND_MS);
    const tookMs: Record<Side, number[]> = { alone: [], followed: [] };
    const heard = { bytes: 0, resyncs: 0, seconds: 0 };
    for (let round = 0; round < ROUNDS; round++) {
      console.error(`round ${round + 1} of ${ROUNDS}`);
      for (const side of SIDES) {
        if (side === "alone") {
          tookMs.alone.push(...(await pressKeys(client, typed, ROUND_MS)));
          continue;
        }
        const followers = await startFollowers(daemon);
        const from = performance.now();
        tookMs.followed.push(...(await pressKeys(client, typed, ROUND_MS)));
        heard.seconds += (performance.now() - from) / 1000;
        followers.send("stop");
        const { bytes, resyncs } = await told(followers, "heard");
        heard.bytes += bytes;
        heard.resyncs += resyncs;
        followers.disconnect();
        await once(followers, "exit");
      }
    }
    for (const side of SIDES) {
      const [p50, p95] = [0.5, 0.95].map((share) => shareOf(tookMs[side], share).toFixed(2));
      console.log(`echo beside a flood, ${side.padEnd(8)}  p50 ${p50} ms, p95 ${p95} ms`);
    }
    const each = heard.bytes / heard.seconds / FOLLOWERS / 1e6;
    console.log(`each follower hears ${each.toFixed(2)} MB/s, ${heard.resyncs} resyncs in all`);
    const ratio = shareOf(tookMs.followed, 0.95) / shareOf(tookMs.alone, 0.95);
    console.log(`p95 with ${FOLLOWERS} followers ${ratio.toFixed(2)} ×, at most ${MAX_RATIO} ×`);
    if (ratio > MAX_RATIO) process.exitCode = 1;
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

async function startCat(client: NacreClient): Promise<TerminalId> {
  const args = ["-c", "stty raw -echo; echo ready; exec cat"];
  const { id } = await client.createTerminal({ command: "/bin/sh", args });
  await client.waitFor({ id, until: [{ kind: "text", text: "ready" }], after: 0 });
  return id;
}

/** Presses keys for a while, one after the other, as somebody who sees each before the next; how long each took. */
async function pressKeys(
  client: NacreClient,
  id: TerminalId,
  durationMs: number,
): Promise<number[]> {
  await using opened = client.openTerminal(id);
  const endMs = performance.now() + durationMs;
  const tookMs: number[] = [];
  let pressedMs: number | undefined;
  const press = (): void => {
    pressedMs = performance.now();
    opened.write("x");
  };
  for await (const message of opened) {
    if (message.kind === "snapshot") press();
    if (message.kind !== "bytes" || pressedMs === undefined) continue;
    tookMs.push(performance.now() - pressedMs);
    if (performance.now() >= endMs) break;
    await sleep(PAUSE_MS);
    press();
  }
  return tookMs;
}

async function startFollowers({ url, token, socketPath }: DaemonProcess): Promise<ChildProcess> {
  const worker = join(import.meta.dirname, "followers-worker.ts");
  const followers = fork(worker, [url, token, socketPath, String(FOLLOWERS)]);
  await told(followers, "open");
  return followers;
}

/** The next thing of this kind that the followers tell. */
async function told<Kind extends Told["kind"]>(
  followers: ChildProcess,
  kind: Kind,
): Promise<Extract<Told, { kind: Kind }>> {
  for (;;) {
    const [message]: unknown[] = await Promise.race([
      once(followers, "message"),
      tooEarly(followers),
    ]);
    const parsed = Told.parse(message);
    if (isOfKind(parsed, kind)) return parsed;
  }
}
