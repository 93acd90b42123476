// How fast text is found in a long recording, how soon after it was written, and what the files cost.
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { SearchQuery } from "@nacre/contracts";
import { Recordings } from "@nacre/host";
import { openTerminals, sizeOf } from "./recording-tools.ts";
import { repeatableRandom, TerminalText } from "./terminal-text.ts";

const ENTRIES = 1_000_000;
const ENTRY_BYTES = 200;
const TERMINALS = 20;
const QUERIES_PER_KIND = 100;

/** Something rare that is known to be there, now and then. */
const NEEDLE_EVERY = 10_007;

/** Writes beside which the lag of the index is measured. */
const NOISE_MB_PER_SECOND = 2;
const LAG_ROUNDS = 20;

const percentile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[
    Math.min(values.length - 1, Math.floor(values.length * share))
  ] ?? Number.NaN;

/** Fills a store with entries of so many bytes of text, some with a needle. */
async function fill(recordings: Recordings): Promise<void> {
  const text = new TerminalText().bytes(ENTRIES * ENTRY_BYTES);
  const terminals = await openTerminals(recordings, TERMINALS);
  const perTerminal = ENTRIES / TERMINALS;
  let waiting: Promise<unknown>[] = [];
  for (let n = 0; n < ENTRIES; n++) {
    // Each terminal gets a part of the text in one piece, as one program writes it.
    const terminal = terminals[n % TERMINALS];
    const start = ((n % TERMINALS) * perTerminal + Math.floor(n / TERMINALS)) * ENTRY_BYTES;
    const piece = text.subarray(start, start + ENTRY_BYTES);
    const needle = n % NEEDLE_EVERY === 0 ? Buffer.from(`\r\nneedle-${n} found\r\n`) : undefined;
    const data = new Uint8Array(needle ? Buffer.concat([piece, needle]) : piece);
    waiting.push(terminal?.append({ type: "output", offset: 0, data }) ?? Promise.resolve());
    if (waiting.length < 2000) continue;
    await Promise.all(waiting);
    waiting = [];
  }
  await Promise.all(waiting);
}

/** The kinds of questions people ask. */
function kindsOfQueries(): Readonly<Record<string, () => SearchQuery>> {
  const words = new TerminalText();
  const random = repeatableRandom(7);
  const needle = (): number => Math.floor((random() * ENTRIES) / NEEDLE_EVERY) * NEEDLE_EVERY;
  return {
    "a word": () => ({ text: words.word() }),
    "two words": () => ({ text: `${words.word()} ${words.word()}` }),
    "a prefix, with lines around": () => ({ text: `${words.word()}*`, context: 3 }),
    "a rare word": () => ({ text: `needle-${needle()}` }),
    "a rare substring": () => ({ text: `eedle-${needle()}`, mode: "substring" }),
    "a path and a line": () => ({
      text: `src/${words.word()}/${words.word()}.ts:4`,
      mode: "substring",
    }),
    "the middle of a word": () => ({
      text: words.word().padEnd(6, "s").slice(1, -1),
      mode: "substring",
    }),
    "a substring that is nowhere": () => ({
      text: `nothing-${words.word()}-here`,
      mode: "substring",
    }),
    "a regular expression": () => ({ text: `needle-${needle()} \\w+`, mode: "regex" }),
    "a frequent regular expression": () => ({ text: "took 9\\d+ms", mode: "regex", limit: 50 }),
  };
}

async function measureQueries(recordings: Recordings): Promise<void> {
  // The first search of each mode starts a thread.
  await recordings.search({ text: "warm" });
  await recordings.search({ text: "warm", mode: "regex" });
  const all: number[] = [];
  const [p50, p99] = [0.5, 0.99];
  for (const [kind, query] of Object.entries(kindsOfQueries())) {
    const times: number[] = [];
    for (let n = 0; n < QUERIES_PER_KIND; n++) {
      const from = performance.now();
      await recordings.search(query());
      times.push(performance.now() - from);
    }
    all.push(...times);
    console.log(`  ${kind}: p50 ${ms(times, p50)}, p99 ${ms(times, p99)} ms`);
  }
  console.log(
    `search in ${ENTRIES} entries, ${all.length} queries: p50 ${ms(all, p50)}, p99 ${ms(all, p99)}, max ${ms(all, 1)} ms`,
  );
}

const ms = (times: readonly number[], share: number): string => percentile(times, share).toFixed(1);

/** From the moment text is committed to the moment it is found, while another terminal writes. */
async function measureLag(recordings: Recordings): Promise<void> {
  const text = new TerminalText().bytes(4 * 1024 * 1024);
  const row = { owner: { entityName: "Bench", entityId: "2" }, workingDirectory: "/" };
  const [noise, quiet] = await Promise.all(
    ["noise", "quiet"].map((uid) =>
      recordings.create({
        id: `terminal:${uid}` as never,
        ...row,
        createdAt: new Date().toISOString(),
      }),
    ),
  );
  if (!noise || !quiet) return;
  let sent = 0;
  const timer = setInterval(() => {
    const count = (NOISE_MB_PER_SECOND * 1e6) / 100;
    const start = sent % (text.byteLength - count);
    void noise.append({
      type: "output",
      offset: sent,
      data: new Uint8Array(text.subarray(start, start + count)),
    });
    sent += count;
  }, 10);
  const lags: number[] = [];
  for (let n = 0; n < LAG_ROUNDS; n++) {
    const needle = `lagneedle${n}x`;
    await quiet.append({
      type: "output",
      offset: 0,
      data: new Uint8Array(Buffer.from(`${needle}\r\n`)),
    });
    const from = performance.now();
    while ((await recordings.search({ text: needle })).hits.length === 0);
    lags.push(performance.now() - from);
  }
  clearInterval(timer);
  console.log(
    `index lag beside ${NOISE_MB_PER_SECOND} MB/s of another terminal: p50 ${percentile(lags, 0.5).toFixed(0)}, max ${Math.max(...lags).toFixed(0)} ms`,
  );
}

/** Blocks are found by reading them until their letters are in the index. */
async function lettersIndexed(path: string): Promise<void> {
  using stack = new DisposableStack();
  const database = new DatabaseSync(path, { readOnly: true });
  stack.defer(() => database.close());
  const pending = database.prepare("SELECT count(*) AS count FROM block WHERE stage = 1");
  while (pending.get()?.["count"] !== 0) await new Promise((resolve) => setTimeout(resolve, 200));
}

/** Fills a store, then asks. */
export async function benchSearch(directory: string): Promise<void> {
  {
    await using recordings = await Recordings.open({ directory });
    const from = performance.now();
    await fill(recordings);
    const filled = performance.now();
    await recordings.whenIndexed();
    const found = performance.now();
    await lettersIndexed(join(directory, "search.db"));
    const indexed = performance.now();
    const seconds = (ms: number): string => (ms / 1000).toFixed(1);
    console.log(
      `${ENTRIES} entries of ${ENTRY_BYTES} B: appended in ${seconds(filled - from)} s, all of it found ${seconds(found - filled)} s later and by its letters ${seconds(indexed - filled)} s later`,
    );
    await measureQueries(recordings);
    await measureLag(recordings);
  }
  const recorded = ENTRIES * ENTRY_BYTES;
  const store = sizeOf(directory, "recordings.db") / recorded;
  const index = sizeOf(directory, "search.db") / recorded;
  console.log(
    `bytes on disk per byte recorded: ${store.toFixed(2)} without, ${(store + index).toFixed(2)} with the search index (entries of ${ENTRY_BYTES} B)`,
  );
}
