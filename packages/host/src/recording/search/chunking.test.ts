import type { SearchQuery } from "@nacre/contracts";
import fc from "fast-check";
import { expect, test } from "vitest";
import { MemoryStore } from "../../store/memory-store.ts";
import { terminalId, terminalRow } from "../../testing/terminal-row.ts";
import { decodeEntry, encodeFact } from "../recorded-entry.ts";
import { RecordingWriter } from "../recording-writer.ts";
import { IndexReader } from "./index-reader.ts";
import { IndexStore } from "./index-store.ts";
import { Searcher } from "./searcher.ts";
import { TerminalIndex } from "./terminal-index.ts";

const A = terminalId("a");

/** Where output is cut into chunks, and what the indexer does after each of them. */
interface Cut {
  readonly at: number;
  /** Writes its blocks, and perhaps goes on in another process. */
  readonly pause: "none" | "write" | "restart";
}

/** Records output in chunks and indexes it, with pauses anywhere. */
function indexed(output: Uint8Array, cuts: readonly Cut[]): Searcher {
  const store = new MemoryStore();
  const writer = new RecordingWriter(store);
  const index = new IndexStore(":memory:");
  writer.write([{ kind: "terminal", ticket: 0, row: terminalRow("a") }]);
  const restored = () =>
    new TerminalIndex({
      store: index,
      progress: index.readProgress(A),
      timeOf: (sequence) => store.readTime(A, sequence),
    });
  let terminal = restored();
  let start = 0;
  const ends: readonly Cut[] = [...cuts, { at: output.length, pause: "write" }];
  for (const { at, pause } of ends) {
    const data = output.slice(start, at);
    const place = { terminalId: A, at: 1000, elapsedMs: 0, strict: false };
    const fact = encodeFact({ type: "output", offset: start, data });
    writer.write([{ kind: "entry", ticket: 0, ...place, ...fact }]);
    const after = terminal.through;
    terminal.add(
      store.readEntries({ terminalId: A, after, limit: 1, maxBytes: 1 }).map(decodeEntry),
    );
    if (pause !== "none") index.transaction(() => terminal.write(new Uint8Array()));
    if (pause === "restart") terminal = restored();
    start = at;
  }
  while (index.transaction(() => index.indexTrigrams(8)) > 0);
  return new Searcher(store, new IndexReader(index.database));
}

const QUERIES: readonly SearchQuery[] = [
  { text: "needle" },
  { text: "nee*", limit: 200 },
  { text: "eedl", mode: "substring", limit: 200 },
  { text: "straße 文字", limit: 200 },
  { text: "[ae].l", mode: "regex", limit: 200 },
];

const found = (searcher: Searcher, query: SearchQuery): string[] =>
  searcher.search(query).hits.map(({ line, matches }) => `${line} ${JSON.stringify(matches)}`);

const piece = fc.oneof(
  fc.constantFrom(
    "needle",
    "a needle-7351 here\r\n",
    "straße 文字 😀\r\n",
    "\r\n",
    "\r10%\r20%",
    "\u001b[31mred\u001b[0m",
    "\u001b[2J\u001b[H",
    "\u001b[5A",
    "\u001b[K",
    "\u001b[?1049h",
    "\u001b[?1049l",
    "\u001b]0;title needle\u0007",
    "\u001b[3;10H",
    "wide 文字 needle\r\n",
    "x".repeat(200),
  ),
  fc.string({ maxLength: 20 }),
);

const recorded = fc
  .array(piece, { minLength: 1, maxLength: 60 })
  .map((pieces) => new Uint8Array(Buffer.from(pieces.join(""))));

test("the same bytes give the same hits, however they are cut and whenever they are indexed", () => {
  const cutsIn = (length: number) =>
    fc
      .array(
        fc.record({
          at: fc.integer({ min: 0, max: length }),
          pause: fc.constantFrom("none" as const, "write" as const, "restart" as const),
        }),
        { maxLength: 12 },
      )
      .map((cuts) => cuts.toSorted((a, b) => a.at - b.at));
  fc.assert(
    fc.property(
      recorded.chain((output) => fc.tuple(fc.constant(output), cutsIn(output.length))),
      ([output, cuts]) => {
        const whole = indexed(output, []);
        const cut = indexed(output, cuts);
        for (const query of QUERIES) expect(found(cut, query)).toEqual(found(whole, query));
      },
    ),
    { numRuns: 150 },
  );
});

test("what fills many blocks is found in all of them, however it was cut", () => {
  const lines = Array.from(
    { length: 4000 },
    (_, n) => `line ${n} with ${n % 97 === 0 ? "needle" : "hay"}\r\n`,
  );
  const output = new Uint8Array(Buffer.from(lines.join("")));
  const whole = indexed(output, []);
  const cuts = Array.from({ length: 50 }, (_, n) => ({ at: n * 1999, pause: "restart" }) as const);
  const query = { text: "needle", limit: 200 };
  expect(found(whole, query)).toHaveLength(42);
  expect(found(indexed(output, cuts), query)).toEqual(found(whole, query));
});
