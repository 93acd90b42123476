// Entries whose content follows from the terminal and the sequence, so that every byte can be checked.
import {
  type TerminalId,
  TerminalId as TerminalIdSchema,
  type TerminalStorage,
} from "@nacre/contracts";
import { encodeFact, type Fact } from "../../packages/host/src/recording/recorded-entry.ts";
import type { Moment } from "../../packages/host/src/recording/recording.ts";
import type { EntryWrite } from "../../packages/host/src/recording/write.ts";
import type { EntryRow } from "../../packages/host/src/store/store.ts";
import { seededRandom } from "./random.ts";

/** Entries lie this far apart, beginning at a fixed time. */
const STEP_MS = 10;
const FIRST_AT = Date.parse("2026-01-31T09:30:00.000Z");

/** How large the data of entries is, each with its share of all entries. */
const SIZES: readonly (readonly [share: number, maxBytes: number])[] = [
  [0.7, 200],
  [0.9, 2000],
  [0.98, 20_000],
  [1, 65_536],
];

/** Output of one entry is a multiple of this away from any other's, so that its place follows from its sequence. */
const OFFSET_STEP = 1024 * 1024;

const WORDS = [
  "build",
  "test",
  "error:",
  "warning",
  "\u001b[32mok\u001b[0m",
  "src/main.ts:42",
  "päckchen",
];

/** The id of the terminal that has this name here. */
export const idOf = (uid: string): TerminalId => TerminalIdSchema.parse(`terminal:${uid}`);

/** The name of a terminal here. */
export const uidOf = (id: TerminalId): string => id.slice("terminal:".length);

/** The row of the terminal that has this name here. */
export function terminalOf(uid: string): TerminalStorage {
  return {
    id: idOf(uid),
    owner: { entityName: "Task", entityId: uid },
    workingDirectory: "/tmp",
    command: "sh",
    args: ["-c", `echo ${uid}`],
    createdAt: new Date(FIRST_AT).toISOString(),
  };
}

/** Found in the output of exactly this entry, and in nothing else. */
export const needleOf = (uid: string, sequence: number): string => `needle-${uid}-${sequence}x`;

/** Found in all files that hold output of this terminal. */
export const traceOf = (uid: string): string => `needle-${uid}-`;

/** When the entry of this sequence happened. */
export const momentOf = (sequence: number): Moment => ({
  at: FIRST_AT + sequence * STEP_MS,
  elapsedMs: sequence * STEP_MS,
});

function seedOf(uid: string, sequence: number): number {
  let mixed = 0x811c9dc5 ^ sequence;
  for (const letter of uid) mixed = Math.imul(mixed ^ letter.charCodeAt(0), 0x01000193);
  return mixed >>> 0;
}

/** Lines that begin with a word of their own; in large data they repeat. */
function textOf(uid: string, sequence: number, random: () => number): string {
  const share = random();
  const [, maxBytes] = SIZES.find(([upTo]) => share <= upTo) ?? [1, 200];
  const bytes = Math.floor(random() * maxBytes);
  let lines = "";
  while (lines.length < Math.min(bytes, 600)) {
    const words = Array.from({ length: 6 }, () => WORDS[Math.floor(random() * WORDS.length)]);
    lines += `${words.join(" ")} ${Math.floor(random() * 1e9).toString(36)}\r\n`;
  }
  const rest = lines.length > 0 ? lines.repeat(Math.ceil(bytes / lines.length)) : "";
  return `${needleOf(uid, sequence)}\r\n${rest}`;
}

/** What happened in this terminal at this sequence. */
export function factOf(uid: string, sequence: number): Fact {
  if (sequence === 1) return { type: "header", cols: 80, rows: 24 };
  const random = seededRandom(seedOf(uid, sequence));
  const kind = random();
  if (kind < 0.75) {
    const data = new Uint8Array(Buffer.from(textOf(uid, sequence, random)));
    return { type: "output", offset: sequence * OFFSET_STEP, data };
  }
  if (kind < 0.85) return { type: "input", data: new Uint8Array([Math.floor(random() * 256), 13]) };
  if (kind < 0.9) return { type: "resize", cols: 20 + Math.floor(random() * 200), rows: 24 };
  if (kind < 0.95) return { type: "title", title: `${uid} ✓ ${sequence}` };
  return { type: "clear" };
}

/** The entry of this sequence as a recorder takes it. */
export function entryWriteOf(
  uid: string,
  sequence: number,
  { ticket, strict = false }: { readonly ticket: number; readonly strict?: boolean },
): EntryWrite {
  const columns = encodeFact(factOf(uid, sequence));
  return {
    kind: "entry",
    ticket,
    strict,
    terminalId: idOf(uid),
    ...momentOf(sequence),
    ...columns,
  };
}

/** Says what is wrong with an entry that was read back; nothing when it is exactly what was recorded. */
export function problemOf(uid: string, row: EntryRow): string | undefined {
  const { type, facts, offset, data } = encodeFact(factOf(uid, row.sequence));
  const { at, elapsedMs } = momentOf(row.sequence);
  const place = `entry ${row.sequence} of ${uid}`;
  if (row.type !== type) return `${place} is ${row.type}, not ${type}`;
  if (row.at !== at || row.elapsedMs !== elapsedMs) return `${place} has another time`;
  if (row.facts !== facts) return `${place} has the facts ${row.facts}, not ${facts}`;
  if (row.offset !== offset) return `${place} has the offset ${row.offset}, not ${offset}`;
  if ((row.data === null) !== (data === null))
    return `${place} has data where there is none, or none`;
  if (row.data && data && Buffer.compare(row.data, data) !== 0) return `${place} has other bytes`;
  return undefined;
}
