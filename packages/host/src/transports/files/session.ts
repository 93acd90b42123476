import { type OutputPosition, type TerminalData, TerminalId } from "@nacre/contracts";
import { z } from "zod";
import { CursorText, SessionId } from "./payloads.ts";
import { formatCursor, parseCursor } from "./cursor.ts";
import { PromiseQueue } from "./turns.ts";

const at = z.number().nullable();

/** A session as `sessions.json` lists it. */
export const SessionRecord = z.strictObject({
  session_id: SessionId,
  terminal_id: TerminalId,
  state: z.enum(["open", "closed"]),
  label: z.string().nullable(),
  cwd: z.string().nullable(),
  exit_code: z.int().nullable(),
  created_at_ms: z.number(),
  updated_at_ms: z.number(),
  last_exec_at_ms: at,
  closed_at_ms: at,
  exec_count: z.int(),
  write_count: z.int(),
  read_count: z.int(),
  cursor: CursorText,
});
export type SessionRecord = z.infer<typeof SessionRecord>;

/** A session as it outlives the service. */
export const StoredSession = SessionRecord.extend({
  typed_after: z.int().min(0).default(0),
  waited_to: z.int().min(0).default(0),
});
export type StoredSession = z.infer<typeof StoredSession>;

/** What is known of a terminal when its session is looked at. */
export type TerminalObservation = Pick<TerminalData, "dead" | "exitCode"> & {
  readonly cwd?: string | undefined;
};

/** One terminal under the name that the agent gave it. */
export class ControlSession {
  /** What is typed goes in the order in which it was asked for. */
  readonly inputs = new PromiseQueue();
  /** Readers without a cursor of their own get each byte once, so they take turns. */
  readonly reads = new PromiseQueue();
  /** Up to where the agent was told of commands that ended; none ends twice. */
  waitedTo: number;
  /** The newest entry when the last line was typed: what was so before is no answer to it. */
  typedAfter: number;
  #record: SessionRecord;

  constructor({
    typed_after = 0,
    waited_to = 0,
    ...record
  }: SessionRecord & Partial<StoredSession>) {
    this.typedAfter = typed_after;
    this.waitedTo = waited_to;
    this.#record = record;
  }

  /** Everything that the next service needs to know of it. */
  get kept(): StoredSession {
    return { ...this.#record, typed_after: this.typedAfter, waited_to: this.waitedTo };
  }

  get record(): SessionRecord {
    return this.#record;
  }

  get id(): string {
    return this.#record.session_id;
  }

  get terminalId(): TerminalId {
    return this.#record.terminal_id;
  }

  /** Whether its program runs. */
  get isOpen(): boolean {
    return this.#record.state === "open";
  }

  /** Whether the agent closed it, after or before its program ended. */
  get isClosedByAgent(): boolean {
    return this.#record.closed_at_ms !== null;
  }

  /** Where the agent's own reading is. */
  get position(): OutputPosition {
    return parseCursor(this.#record.cursor);
  }

  /** Notes something that happened to it. */
  note(change: Partial<SessionRecord>): void {
    this.#record = { ...this.#record, ...change, updated_at_ms: Date.now() };
  }

  /** Notes how far the agent has read. */
  moveTo(position: OutputPosition): void {
    this.note({ cursor: formatCursor(position), read_count: this.#record.read_count + 1 });
  }

  /** Notes what its terminal is like now. */
  observe({ dead, exitCode, cwd }: TerminalObservation): void {
    this.note({
      ...(cwd === undefined ? {} : { cwd }),
      ...(dead ? { state: "closed", exit_code: exitCode } : {}),
    });
  }
}
