// Recording side by side with bare inserts of the same rows into the same kind of file, in one run.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { DatabaseSync } from "node:sqlite";
import { type Recording, Recordings } from "@nacre/host";
import { benchSearch } from "./recording-search.ts";
import { openTerminals } from "./recording-tools.ts";
import { TerminalText } from "./terminal-text.ts";

/** Where the scheduler puts the threads decides a round, so it takes several. */
const ROUNDS = 5;

const TERMINALS = 8;

/** So many appends wait at once, as with some busy terminals. */
const IN_FLIGHT = 256;

/** Rows per transaction of the bare inserts; more make them no faster. */
const BARE_GROUP = 100;

/** What the main thread has to keep up with, and for how long. */
const STALL_MB_PER_SECOND = 50;
const STALL_SECONDS = 5;
const STALL_CHUNK_BYTES = 16 * 1024;

interface Load {
  readonly name: string;
  readonly entryBytes: number;
  readonly entries: number;
}

const LOADS: readonly Load[] = [
  { name: "4 KiB", entryBytes: 4096, entries: 32_000 },
  { name: "200 B", entryBytes: 200, entries: 150_000 },
];

const text = new TerminalText().bytes(16 * 1024 * 1024);

/** A piece of the text that nobody else has. */
function pieceOf(index: number, length: number): Uint8Array<ArrayBuffer> {
  const start = (index * length) % (text.byteLength - length);
  return new Uint8Array(text.subarray(start, start + length));
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

/** Runs with a directory of its own that is removed afterwards. */
async function inDirectory<Result>(work: (directory: string) => Promise<Result>): Promise<Result> {
  const directory = mkdtempSync(join(tmpdir(), "nacre-bench-"));
  try {
    return await work(directory);
  } finally {
    rmSync(directory, { recursive: true });
  }
}

/** Entries per second of plain inserts with the same columns, in groups. */
function bareRate(directory: string, { entryBytes, entries }: Load): number {
  const database = new DatabaseSync(join(directory, "bare.db"));
  database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;
    CREATE TABLE entry (terminal INTEGER, sequence INTEGER, type TEXT, at INTEGER, elapsed_ms INTEGER,
      offset INTEGER, facts TEXT, hash BLOB, data BLOB, UNIQUE (terminal, sequence))`);
  const insert = database.prepare("INSERT INTO entry VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)");
  const hash = new Uint8Array(32);
  const from = performance.now();
  for (let n = 0; n < entries;) {
    database.exec("BEGIN");
    for (const end = Math.min(entries, n + BARE_GROUP); n < end; n++) {
      const [terminal, sequence] = [n % TERMINALS, Math.floor(n / TERMINALS)];
      const data = pieceOf(n, entryBytes);
      insert.run(terminal, sequence, "output", Date.now(), n, n * entryBytes, null, hash, data);
    }
    database.exec("COMMIT");
  }
  const seconds = (performance.now() - from) / 1000;
  database.close();
  return entries / seconds;
}

/** Entries per second through the recorder, each appended when one before it was committed; the index is built meanwhile. */
async function appendRate(directory: string, { entryBytes, entries }: Load): Promise<number> {
  await using recordings = await Recordings.open({ directory });
  const terminals = await openTerminals(recordings, TERMINALS);
  // All threads are up before the clock starts.
  await recordings.search({ text: "anything" });
  await recordings.listTerminals({ limit: 1 });
  let next = 0;
  const append = async (recording: Recording): Promise<void> => {
    while (next < entries) {
      const n = next++;
      const data = pieceOf(n, entryBytes);
      await recording.append({ type: "output", offset: n * entryBytes, data });
    }
  };
  const from = performance.now();
  await Promise.all(
    Array.from({ length: IN_FLIGHT }, (_, n) => append(terminals[n % TERMINALS] as Recording)),
  );
  return entries / ((performance.now() - from) / 1000);
}

async function compareRates(load: Load): Promise<void> {
  const bare: number[] = [];
  const ours: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    bare.push(await inDirectory((directory) => Promise.resolve(bareRate(directory, load))));
    ours.push(await inDirectory((directory) => appendRate(directory, load)));
  }
  const [bareRows, ourRows] = [median(bare), median(ours)];
  const mb = (rate: number): string => `${((rate * load.entryBytes) / 1e6).toFixed(0)} MB/s`;
  console.log(
    `append ${load.name}: ${Math.round(ourRows)} entries/s (${mb(ourRows)}), bare ${Math.round(bareRows)}/s (${mb(bareRows)}), ratio ${(ourRows / bareRows).toFixed(2)}`,
  );
}

/** How long the main thread stands still while output streams through it at a steady rate. */
async function measureStall(): Promise<void> {
  await inDirectory(async (directory) => {
    await using recordings = await Recordings.open({ directory });
    const terminals = await openTerminals(recordings, TERMINALS);
    const idle = monitorEventLoopDelay({ resolution: 1 });
    idle.enable();
    await new Promise((resolve) => setTimeout(resolve, 1000));
    idle.disable();
    const busy = monitorEventLoopDelay({ resolution: 1 });
    busy.enable();
    const from = performance.now();
    let chunks = 0;
    const pending: Promise<unknown>[] = [];
    const due = () =>
      (((performance.now() - from) / 1000) * STALL_MB_PER_SECOND * 1e6) / STALL_CHUNK_BYTES;
    await new Promise<void>((resolve) => {
      const timer = setInterval(() => {
        for (; chunks < due(); chunks++) {
          const data = pieceOf(chunks, STALL_CHUNK_BYTES);
          const recording = terminals[chunks % TERMINALS] as Recording;
          pending.push(recording.append({ type: "output", offset: 0, data }));
        }
        if (performance.now() - from < STALL_SECONDS * 1000) return;
        clearInterval(timer);
        resolve();
      }, 2);
    });
    busy.disable();
    await Promise.all(pending);
    const seconds = (performance.now() - from) / 1000;
    // The timer that measures takes a millisecond of each delay itself.
    const ms = (nanoseconds: number): string => (nanoseconds / 1e6 - 1).toFixed(1);
    const rate = ((chunks * STALL_CHUNK_BYTES) / 1e6 / seconds).toFixed(0);
    console.log(
      `main thread at ${rate} MB/s: stalls p50 ${ms(busy.percentile(50))}, p99 ${ms(busy.percentile(99))}, max ${ms(busy.max)} ms (idle p99 ${ms(idle.percentile(99))} ms)`,
    );
  });
}

/** What recording costs beside bare inserts, what the main thread feels of it, and how fast text is found. */
export async function benchRecording(): Promise<void> {
  console.log(`recording: node ${process.version}, ${ROUNDS} rounds in turns, medians`);
  for (const load of LOADS) await compareRates(load);
  await measureStall();
  await inDirectory(benchSearch);
}
