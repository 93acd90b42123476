// A daemon with a keeper whose disk is full for a while; says what was told meanwhile, and whether anything is missing afterwards.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { decodeBytes } from "@nacre/contracts";
import { SmallDisk } from "../support/small-disk.ts";
import { waitUntil } from "../support/wait-until.ts";
import { FaultyDaemon } from "./faulty-daemon.ts";

const DISK_BYTES = 48 * 1024 * 1024;

/** More than the keeper and the daemon have room for. */
const FLOOD_BYTES = 10 * 1024 * 1024;

using disk = new SmallDisk(DISK_BYTES);
// What programs write elsewhere is not on the disk that is full.
using elsewhere = new SmallDisk(2 * FLOOD_BYTES);

const home = join(disk.directory, "home");
mkdirSync(home, { mode: 0o700 });
const truth = join(elsewhere.directory, "truth");
const go = join(elsewhere.directory, "go");
const written = (): number => statSync(truth, { throwIfNoEntry: false })?.size ?? 0;

{
  await using daemon = await FaultyDaemon.start({
    home,
    env: { NACRE_FLOOR_BYTES: "1" },
  });
  const { client } = daemon;
  const storage = async () => (await client.readHost({})).storage;
  const flood = `seq 1 ${FLOOD_BYTES} | head -c ${FLOOD_BYTES} | tee ${truth}`;
  const id = await daemon.run(
    `stty raw -echo -opost; echo before; until [ -e ${go} ]; do sleep 0.02; done; ${flood}; exit 9`,
  );
  await client.waitFor({ id, until: [{ kind: "text", text: "before" }], after: 0 });
  disk.fill();
  writeFileSync(go, "");
  await waitUntil(async () => (await storage()).state === "full");
  const full = await storage();
  // The program waits when nobody has room for more: what it wrote stays the same for a while.
  let seen = -1;
  await waitUntil(async () => {
    const before = seen;
    seen = written();
    await pause(500);
    return seen > 0 && seen === before && written() === seen;
  });
  const waitingAt = written();
  const refused = await daemon.run("exit 0").then(
    () => undefined,
    (error: unknown) => error,
  );
  const metric = await daemon.metric("nacre_recorder_ok");

  disk.free();
  await waitUntil(async () => (await storage()).state === "ok");
  await client.waitFor({ id, until: [{ kind: "exit" }], after: 0, timeoutMs: 60_000 });
  const parts: Uint8Array[] = [];
  const types = new Set<string>();
  for (let after = 0, isMore = true; isMore;) {
    const page = await client.findRecordingEntries({ terminalId: id, after, view: "raw" });
    for (const entry of page.entries) {
      assert.equal(entry.sequence, after + 1);
      after = entry.sequence;
      types.add(entry.type);
      if (entry.type === "output") parts.push(decodeBytes({ ...entry, data: entry.data ?? "" }));
    }
    isMore = page.truncated;
  }
  const expected = Buffer.concat([Buffer.from("before\n"), readFileSync(truth)]);
  const next = await daemon.run("exit 0");
  const logged = readFileSync(join(home, "daemon.log"), "utf8");
  process.stdout.write(
    JSON.stringify({
      full,
      waits: waitingAt < FLOOD_BYTES,
      refused: refused instanceof Error && "code" in refused ? refused.code : String(refused),
      metric,
      whole: Buffer.concat(parts).equals(expected),
      hasGap: types.has("gap"),
      verdict: (await client.verifyRecording({ id })).ok,
      next: next.startsWith("terminal:"),
      isLogged: logged.includes("recordings can be written"),
    }),
  );
}
