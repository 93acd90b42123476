import { NacreError, type OutputPosition, type TerminalData, TerminalId } from "@nacre/contracts";
import { z } from "zod";
import { CursorText, formatCursor, parseCursor, SessionId } from "./control-file-request.ts";
import type { SavedState } from "./saved-state.ts";
import { SerialQueue } from "../../base/serial-queue.ts";

const at = z.number().nullable();

/** As `sessions.json` lists it. */
const SessionRecord = z.strictObject({
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
type SessionRecord = z.infer<typeof SessionRecord>;

/** As the journal keeps it. */
export const StoredSession = SessionRecord.extend({
  typed_after: z.int().min(0).default(0),
  waited_to: z.int().min(0).default(0),
});
export type StoredSession = z.infer<typeof StoredSession>;

type TerminalObservation = Pick<TerminalData, "dead" | "exitCode"> & {
  readonly cwd?: string | undefined;
};

/** One terminal under the name that the agent gave it. */
export class ControlSession {
  /** Serialises input. */
  readonly inputs = new SerialQueue();
  /** Readers without a cursor share one position, so they take turns. */
  readonly reads = new SerialQueue();
  /** Reported up to here; no command's end is reported twice. */
  waitedTo: number;
  /** The newest entry when the last line was typed: earlier output is no answer to it. */
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

  /** For the journal. */
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

  get isOpen(): boolean {
    return this.#record.state === "open";
  }

  /** Before or after its program ended. */
  get isClosedByAgent(): boolean {
    return this.#record.closed_at_ms !== null;
  }

  get position(): OutputPosition {
    return parseCursor(this.#record.cursor);
  }

  note(change: Partial<SessionRecord>): void {
    this.#record = { ...this.#record, ...change, updated_at_ms: Date.now() };
  }

  moveTo(position: OutputPosition): void {
    this.note({ cursor: formatCursor(position), read_count: this.#record.read_count + 1 });
  }

  observe({ dead, exitCode, cwd }: TerminalObservation): void {
    this.note({
      ...(cwd === undefined ? {} : { cwd }),
      ...(dead ? { state: "closed", exit_code: exitCode } : {}),
    });
  }
}

/** Older closed sessions are only found by their recordings. */
const MAX_CLOSED = 128;

export class ControlSessions {
  readonly #sessions: ControlSession[] = [];
  /** By name. */
  readonly #creating = new Map<string, Promise<unknown>>();
  #current: ControlSession | undefined;
  #counter = 0;

  /** Takes over what was written down of the sessions before. */
  restore({
    sessions,
    current,
    counter,
  }: Pick<SavedState, "sessions" | "current" | "counter">): void {
    this.#sessions.push(...sessions.map((record) => new ControlSession(record)));
    this.#counter = counter;
    this.#current = this.#sessions.find(({ terminalId }) => terminalId === current);
  }

  /** Oldest first. */
  get all(): readonly ControlSession[] {
    return this.#sessions;
  }

  get current(): ControlSession | undefined {
    return this.#current;
  }

  /** Generated names so far. */
  get counter(): number {
    return this.#counter;
  }

  /** Reserves the name, which no open session may have. */
  async create(
    asked: string | undefined,
    make: (id: string) => Promise<SessionRecord>,
  ): Promise<ControlSession> {
    const id = asked ?? this.#freshName();
    if (this.#creating.has(id) || this.#find(id)?.isOpen) {
      throw new NacreError("already_exists", `session_id: there is an open session ${id}`, {
        field: "session_id",
        suggestion: "Use it, close it first, or choose another name.",
      });
    }
    const making = make(id);
    this.#creating.set(
      id,
      making.catch(() => undefined),
    );
    try {
      const session = new ControlSession(await making);
      this.#sessions.push(session);
      this.#current = session;
      this.#forgetOld();
      return session;
    } finally {
      this.#creating.delete(id);
    }
  }

  /** The newest session of this name, or the current one; waits for one being created. */
  async require(asked: string | undefined): Promise<ControlSession> {
    if (asked === undefined) {
      // The one being created is about to become current.
      if (!this.#current) await Promise.all(this.#creating.values());
      if (this.#current) return this.#current;
      throw new NacreError("invalid_argument", "session_id: no session is current", {
        field: "session_id",
        suggestion: "Name a session of sessions.json, or create one.",
      });
    }
    await this.#creating.get(asked);
    const session = this.#find(asked);
    if (session) return session;
    throw new NacreError("terminal_not_found", `session_id: there is no session ${asked}`, {
      field: "session_id",
      suggestion: "Use one of sessions.json, or create it.",
    });
  }

  /** Its program must run. */
  async requireOpen(asked: string | undefined): Promise<ControlSession> {
    const session = await this.require(asked);
    if (session.isOpen) return session;
    throw sessionClosed(session);
  }

  makeCurrent(session: ControlSession | undefined): void {
    this.#current = session;
  }

  #find(id: string): ControlSession | undefined {
    return this.#sessions.findLast((session) => session.id === id);
  }

  #freshName(): string {
    let name: string;
    do name = `term-${++this.#counter}`;
    while (this.#find(name) || this.#creating.has(name));
    return name;
  }

  #forgetOld(): void {
    const ended = this.#sessions.filter((session) => !session.isOpen);
    for (const session of ended.slice(0, Math.max(0, ended.length - MAX_CLOSED))) {
      if (session !== this.#current) this.#sessions.splice(this.#sessions.indexOf(session), 1);
    }
  }
}

export const sessionClosed = (session: ControlSession): NacreError =>
  new NacreError("terminal_exited", `session ${session.id} is closed`, {
    field: "session_id",
    suggestion: "Read what it left, or create it again.",
  });
