// A terminal whose entries a test writes by hand, as the channels see it.
import { NacreError, TerminalId } from "@nacre/contracts";
import type { TerminalContent, TerminalFacts } from "../../../../operations/terminal-listing.ts";
import type { TerminalAction } from "../../protocol/action.ts";
import { reduceTerminalActions } from "../../protocol/reducer.ts";
import type { TerminalContentPart } from "../../protocol/state.ts";
import type { SourceEntry, SourceMessage, TerminalSource } from "../terminal-source.ts";
import { decodeOutput, EntryEncoder } from "../published-state.ts";

type Placed = "id" | "terminalId" | "sequence" | "occurredAt" | "elapsedMs";
type WithoutPlace<Entry> = Entry extends unknown ? Omit<Entry, Placed> : never;
type FactOf = Exclude<WithoutPlace<SourceEntry>, { type: "output" }>;

/** When everything happens in these tests. */
export const AT = "2026-01-02T03:04:05.000Z";

/** A terminal that does what a test says. */
export class FakeTerminal {
  facts: TerminalFacts;
  /** Awaited by every reading of the content, before it looks. */
  beforeReading: Promise<void> | undefined;
  /** Awaited by every reading of the content, after it looked. */
  afterReading: Promise<void> | undefined;
  /** Whether its content is made in the middle of a flood. */
  isFlooding = false;
  /** Thrown by the next fetch of every feed. */
  failure: Error | undefined;
  readings = 0;
  /** How often it was opened. */
  opened = 0;
  readonly #messages: Extract<SourceMessage, { kind: "entry" }>[] = [];
  readonly #listeners = new Set<() => void>();
  readonly #wakes = new Set<() => void>();
  #isOver = false;

  constructor(uid: string, more: Partial<TerminalFacts> = {}) {
    this.facts = {
      id: TerminalId.parse(`terminal:${uid}`),
      createdAt: AT,
      owner: { entityName: "Person", entityId: "olga" },
      title: "bash",
      untitled: "bash",
      cwd: "/srv",
      size: { cols: 80, rows: 24 },
      claim: { kind: "session", session: "s:1" },
      state: "active",
      detectsCommands: false,
      isPty: true,
      ...more,
    };
    this.append({ type: "header", cols: 80, rows: 24 });
  }

  get lastSequence(): number {
    return this.#messages.length;
  }

  /** Writes output. */
  write(text: string): void {
    const view = new Uint8Array(Buffer.from(text));
    this.#push({ type: "output", data: view, offset: 0 }, view);
  }

  /** Writes any other entry. */
  append(fact: FactOf): void {
    this.#push(fact);
  }

  /** Says something else about itself. */
  change(facts: Partial<TerminalFacts>): void {
    this.facts = { ...this.facts, ...facts };
    for (const listener of this.#listeners) listener();
  }

  /** Nothing follows any more. */
  end(): void {
    this.#isOver = true;
    this.wake();
  }

  wake(): void {
    for (const wake of this.#wakes) wake();
    this.#wakes.clear();
  }

  /** Opens it as operations do; where the feed begins is looked at with its first fetch. */
  open(options: { readonly after?: number | undefined }): TerminalSource {
    this.opened++;
    const open = { isOpen: true, position: -1 };
    const facts = (): TerminalFacts => this.facts;
    const lastSequence = (): number => this.lastSequence;
    return {
      terminalId: this.facts.id,
      get facts() {
        return facts();
      },
      get lastSequence() {
        return lastSequence();
      },
      readContent: ({ through = lastSequence } = {}) => this.#readContent(through),
      onChange: (listener) => {
        this.#listeners.add(listener);
        return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
      },
      next: async () => {
        if (open.position < 0) open.position = options.after ?? 0;
        for (;;) {
          const { failure } = this;
          this.failure = undefined;
          if (failure) throw failure;
          const message = this.#messages[open.position];
          if (!open.isOpen || (!message && this.#isOver)) return { done: true, value: undefined };
          if (message) {
            open.position++;
            return { done: false, value: message };
          }
          await new Promise<void>((resolve) => {
            this.#wakes.add(resolve);
          });
        }
      },
      [Symbol.dispose]: () => {
        open.isOpen = false;
        this.wake();
      },
    };
  }

  async #readContent(through: () => number): Promise<TerminalContent> {
    this.readings++;
    await this.beforeReading;
    const sequence = through();
    const entryActions = new EntryEncoder(this.facts.untitled);
    const read = this.#messages.slice(0, sequence);
    const actions = read.flatMap(({ entry, view }): readonly TerminalAction[] => {
      if (view?.byteLength === 0) return [];
      if (view) return [{ type: "terminal/data", data: decodeOutput(view) }];
      const action = entryActions.encode(entry);
      return action ? [action] : [];
    });
    const nothing: { readonly content: readonly TerminalContentPart[] } = { content: [] };
    const { content } = reduceTerminalActions(nothing, actions, "lifecycle");
    await this.afterReading;
    const parts = content.map(corePartOf);
    return { sequence, parts, truncated: false, provisional: this.isFlooding };
  }

  #push(fact: WithoutPlace<SourceEntry>, view?: Uint8Array<ArrayBuffer>): void {
    const sequence = this.#messages.length + 1;
    const place = { terminalId: this.facts.id, sequence, occurredAt: AT, elapsedMs: 0 };
    // The place is all that a fact lacks to be an entry.
    const entry = { id: `terminal_recording_entry:e${sequence}`, ...place, ...fact } as SourceEntry;
    this.#messages.push({ kind: "entry", entry, ...(view ? { view } : {}) });
    this.wake();
  }
}

function corePartOf(part: TerminalContentPart): TerminalContent["parts"][number] {
  if (part.type === "unclassified") return { kind: "unclassified", text: part.value };
  const { type: kind, timestamp, ...rest } = part;
  // The names are those of the core, the values are the same.
  return {
    kind,
    startedAt: new Date(timestamp).toISOString(),
    ...rest,
  } as TerminalContent["parts"][number];
}

/** What operations say of a terminal that is not there. */
export const notFound = (): NacreError =>
  new NacreError("terminal_not_found", "there is no such terminal");
