// Records on a disk that somebody fills and empties again: `full-disk-victim <case>`; fails with what went wrong.
import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import {
  Recordings,
  type RecordingsOptions,
} from "../../packages/host/src/recording/recordings.ts";
import type { RecorderState } from "../../packages/host/src/recording/write.ts";
import { openSqliteReader } from "../../packages/host/src/store/sqlite-store.ts";
import { idOf, terminalOf } from "../support/numbered-entries.ts";
import { SmallDisk } from "../support/small-disk.ts";
import { checkOffered, type FoundTerminal } from "./check-offered.ts";
import { Offering } from "./offering.ts";

const DISK_BYTES = 16 * 1024 * 1024;
const FLOOR_BYTES = 6 * 1024 * 1024;

/** A change of state is reported within this time also on a busy machine; how soon it is on others, faults of the disk show. */
const MAX_REPORT_MS = 20_000;

const OUTPUT_BYTES = 1500;

/** Searching works again soon after there is room again. */
const SEARCH_ATTEMPTS = 200;
const SEARCH_AGAIN_MS = 100;

/** Recordings on a small disk, whose changes of state can be waited for. */
class FullDisk implements AsyncDisposable {
  readonly disk = new SmallDisk(DISK_BYTES);
  readonly directory = join(this.disk.directory, "recordings");
  readonly offerings: Offering[] = [];
  #recordings: Recordings | undefined;
  #waiting: { readonly wanted: RecorderState["state"]; resolve(state: RecorderState): void }[] = [];

  async open(floorBytes: number): Promise<Recordings> {
    const options: RecordingsOptions = {
      directory: this.directory,
      floorBytes,
      handleState: (state) => {
        for (const one of this.#waiting) if (one.wanted === state.state) one.resolve(state);
        this.#waiting = this.#waiting.filter(({ wanted }) => wanted !== state.state);
      },
    };
    this.#recordings = await Recordings.open(options);
    return this.#recordings;
  }

  get recordings(): Recordings {
    if (!this.#recordings) throw new Error("the recordings are not open");
    return this.#recordings;
  }

  async createAll(): Promise<void> {
    for (const [uid, strict] of [
      ["lossy1", false],
      ["lossy2", false],
      ["strict", true],
    ] as const) {
      const recording = await this.recordings.create(terminalOf(uid), { strict });
      this.offerings.push(new Offering(uid, recording, { strict }));
    }
  }

  /** Lets all terminals put out something, again and again. */
  offer(rounds: number): void {
    for (let round = 0; round < rounds; round++) {
      for (const offering of this.offerings) offering.offer(OUTPUT_BYTES);
    }
  }

  async settled(): Promise<void> {
    await Promise.all(this.offerings.map((offering) => offering.settled()));
  }

  /** Does something that leads to this state, and waits until that is reported. */
  async until(wanted: RecorderState["state"], act: () => void): Promise<RecorderState> {
    const { promise, resolve } = Promise.withResolvers<RecorderState>();
    this.#waiting.push({ wanted, resolve });
    act();
    const late = wait(MAX_REPORT_MS, undefined, { ref: false });
    const state = await Promise.race([promise, late]);
    assert.ok(state, `${wanted} was not reported within ${MAX_REPORT_MS} ms`);
    return state;
  }

  /** Closes the recordings and looks into the store. */
  async check(): Promise<FoundTerminal[]> {
    await this.recordings[Symbol.asyncDispose]();
    this.#recordings = undefined;
    using store = openSqliteReader(join(this.directory, "recordings.db"));
    return this.offerings.map((offering) => checkOffered(store, offering.report()));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#recordings?.[Symbol.asyncDispose]();
    this.disk[Symbol.dispose]();
  }
}

const lostIn = (found: readonly FoundTerminal[]): number =>
  found.reduce((sum, { lostBytes }) => sum + lostBytes, 0);

/** The disk is really full, and then is not any more. */
async function full(): Promise<string> {
  await using it = new FullDisk();
  await it.open(0);
  await it.createAll();
  it.offer(50);
  await it.settled();
  it.disk.fill();
  const state = await it.until("degraded", () => it.offer(5));
  assert.ok(state.state === "degraded" && state.reason === "diskFull");
  it.offer(100);
  await it.until("ok", () => it.disk.free());
  it.offer(20);
  await it.settled();
  const lost = lostIn(await it.check());
  assert.ok(lost > 0);
  return `${lost} bytes in gaps, nothing else lost`;
}

/** Less is free than is kept in reserve, and then more. */
async function floor(): Promise<string> {
  await using it = new FullDisk();
  await it.open(FLOOR_BYTES);
  await it.createAll();
  it.offer(20);
  await it.settled();
  it.disk.fill(FLOOR_BYTES - 1024 * 1024);
  // How much is free is looked up a few times per second.
  const state = await it.until("degraded", () => void offerUntilDegraded(it));
  assert.ok(state.state === "degraded" && state.reason === "diskFull");
  assert.match(state.message, /reserve/);
  await it.until("ok", () => it.disk.free());
  it.offer(20);
  await it.settled();
  const lost = lostIn(await it.check());
  return `${lost} bytes in gaps, nothing else lost`;
}

async function offerUntilDegraded(it: FullDisk): Promise<void> {
  while (it.recordings.state.state === "ok") {
    it.offer(1);
    await wait(10);
  }
}

/** What makes room works below the floor: a terminal is deleted, another one purged. */
async function removal(): Promise<string> {
  await using it = new FullDisk();
  await it.open(FLOOR_BYTES);
  await it.createAll();
  it.offer(200);
  await it.settled();
  await it.recordings.whenIndexed();
  it.disk.fill(FLOOR_BYTES - 1024 * 1024);
  await it.until("degraded", () => void offerUntilDegraded(it));
  assert.ok((await it.recordings.delete(idOf("lossy1"))) > 0);
  assert.ok((await it.recordings.purge(idOf("lossy2"))) > 0);
  assert.equal(await it.recordings.readTerminal(idOf("lossy2")), undefined);
  it.offerings.splice(0, 2);
  await it.until("ok", () => it.disk.free());
  await it.settled();
  await it.check();
  return "a terminal was deleted and another one purged below the floor";
}

/** The host ends while the disk is full, and is started again while it still is. */
async function restart(): Promise<string> {
  await using it = new FullDisk();
  await it.open(FLOOR_BYTES);
  await it.createAll();
  it.offer(50);
  await it.settled();
  await it.recordings.whenIndexed();
  it.disk.fill();
  await it.check();
  await it.open(FLOOR_BYTES);
  const { lastSequence } = await it.recordings.readExtent(idOf("strict"));
  assert.equal(lastSequence, 100);
  it.disk.free();
  const recording = await it.recordings.resume(idOf("strict"), { strict: true });
  const { sequence } = await recording.append({ type: "clear" });
  assert.equal(sequence, lastSequence + 1);
  await searchable(it.recordings);
  return "closed and opened again at 0 bytes free, searchable once there is room";
}

/** The index could not be opened on a full disk; it is tried again now and then. */
async function searchable(recordings: Recordings): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await recordings.whenIndexed();
      return;
    } catch (error) {
      if (attempt === SEARCH_ATTEMPTS) throw error;
      await wait(SEARCH_AGAIN_MS);
    }
  }
}

/** Nothing of what was purged is in any file. */
async function purged(): Promise<string> {
  await using it = new FullDisk();
  await it.open(0);
  const recording = await it.recordings.create(terminalOf("secret"));
  const data = new Uint8Array(Buffer.from("hunter2 ".repeat(2000)));
  await recording.append({ type: "output", offset: 0, data });
  await it.recordings.whenIndexed();
  await it.recordings.purge(idOf("secret"));
  const files = readdirSync(it.directory);
  const telling = files.filter((file) =>
    readFileSync(join(it.directory, file)).includes("hunter2"),
  );
  assert.deepEqual(telling, []);
  return `nothing is left in ${files.length} files`;
}

const CASES: Readonly<Record<string, () => Promise<string>>> = {
  full,
  floor,
  removal,
  restart,
  purged,
};

const run = CASES[process.argv[2] ?? ""];
if (!run) throw new Error(`there is no case ${process.argv[2]}`);
writeSync(1, `${await run()}\n`);
