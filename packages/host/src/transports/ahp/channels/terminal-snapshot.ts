import type { ContentPart, TerminalContent } from "../../../operations/terminal-listing.ts";
import type { TerminalAction } from "../protocol/action.ts";
import { ClientNames } from "../protocol/client-names.ts";
import { reduceTerminalActions } from "../protocol/reducer.ts";
import { shapeState } from "../protocol/shaping.ts";
import type { TerminalContentPart, TerminalState } from "../protocol/state.ts";
import type { PreparedSnapshot, ShapedSnapshot, Subscriber } from "./channel.ts";
import type { Audience } from "./envelope.ts";
import type { FeedPosition } from "./terminal-source.ts";
import type { ActionLog } from "./action-log.ts";
import { resyncActions } from "./published-state.ts";

/** Overhead of an action. */
const ACTION_LENGTH = 256;

/** Actions that decide which part later output belongs to. */
const BOUNDARIES: ReadonlySet<string> = new Set([
  "terminal/commandExecuted",
  "terminal/commandFinished",
  "terminal/cleared",
]);

interface RecentAction {
  readonly sequence: number;
  readonly action: TerminalAction;
}

/** Bounded; drops the oldest. */
class RecentActions {
  readonly #maxLength: number;
  #actions: RecentAction[] = [];
  #first = 0;
  #length = 0;
  #droppedThrough = 0;
  #droppedBoundary: TerminalAction | undefined;

  constructor(maxLength: number) {
    this.#maxLength = maxLength;
  }

  /** Approximate. */
  get length(): number {
    return this.#length;
  }

  /** The entry of the last dropped one; 0 when none was. */
  get droppedThrough(): number {
    return this.#droppedThrough;
  }

  /** Undefined when none was dropped. */
  get droppedBoundary(): TerminalAction | undefined {
    return this.#droppedBoundary;
  }

  push(recent: RecentAction): void {
    this.#actions.push(recent);
    this.#length += actionLengthOf(recent);
    while (this.#length > this.#maxLength) this.#drop();
    if (this.#first * 2 > this.#actions.length) this.#tidy();
  }

  after(sequence: number): readonly TerminalAction[] {
    this.#tidy();
    return this.#actions.filter((recent) => recent.sequence > sequence).map(({ action }) => action);
  }

  clear(): void {
    this.#actions = [];
    this.#first = 0;
    this.#length = 0;
  }

  #drop(): void {
    const dropped = this.#actions[this.#first];
    if (!dropped) return;
    this.#first++;
    this.#length -= actionLengthOf(dropped);
    this.#droppedThrough = dropped.sequence;
    if (BOUNDARIES.has(dropped.action.type)) this.#droppedBoundary = dropped.action;
  }

  #tidy(): void {
    this.#actions = this.#actions.slice(this.#first);
    this.#first = 0;
  }
}

const actionLengthOf = ({ action }: RecentAction): number =>
  ACTION_LENGTH + (action.type === "terminal/data" ? action.data.length : 0);

/** Content plus later actions, reduced as clients do. */
function reduceContent(
  { parts }: Pick<TerminalContent, "parts">,
  actions: readonly TerminalAction[],
): readonly TerminalContentPart[] {
  const state: { readonly content: readonly TerminalContentPart[] } = {
    content: parts.map(encodePart),
  };
  return reduceTerminalActions(state, actions, "lifecycle").content;
}

/** Placeholder for older output, and the running command unless it is over. */
function keepBeginning(
  { parts, truncated }: TerminalContent,
  isOver: boolean,
): readonly ContentPart[] {
  const last = parts.at(-1);
  const isRunning = last?.kind === "command" && !last.isComplete && !isOver;
  return [...(truncated ? parts.slice(0, 1) : []), ...(isRunning ? [{ ...last, output: "" }] : [])];
}

const contentLengthOf = ({ parts }: Pick<TerminalContent, "parts">): number =>
  parts.reduce(
    (sum, part) => sum + (part.kind === "unclassified" ? part.text : part.output).length,
    0,
  );

function encodePart(part: ContentPart): TerminalContentPart {
  if (part.kind === "unclassified") return { type: "unclassified", value: part.text };
  const { commandId, commandLine, startedAt, output, isComplete, exitCode, durationMs } = part;
  return {
    type: "command",
    commandId,
    commandLine,
    output,
    timestamp: Date.parse(startedAt),
    isComplete,
    ...(exitCode === undefined ? {} : { exitCode }),
    ...(durationMs === undefined ? {} : { durationMs }),
  };
}

/** Kept while content is read and until it is taken: of a flood, the newest. */
const MAX_RECENT_LENGTH = 512 * 1024;

/** Reads before the middle of a flood is left out. */
const MAX_READS = 2;

export interface TerminalSnapshotDeps {
  /** As requested. */
  readonly uri: string;
  readonly position: FeedPosition;
  readonly teller: ActionLog;
  /** `through` is evaluated as late as possible. */
  readContent(through: () => number): Promise<TerminalContent>;
  /** Publishes pending output. */
  flush(): void;
  handleEnd(snapshot: TerminalSnapshot): void;
}

/**
 * Reads a terminal's content and, when taken, adds what the feed brought since. In a flood that is faster, content
 * between the drawn part and the newest output is left out.
 */
export class TerminalSnapshot implements PreparedSnapshot {
  readonly #deps: TerminalSnapshotDeps;
  readonly #recent = new RecentActions(MAX_RECENT_LENGTH);
  #content: TerminalContent | undefined;
  #isEnded = false;

  constructor(deps: TerminalSnapshotDeps) {
    this.#deps = deps;
  }

  get length(): number {
    return (this.#content ? contentLengthOf(this.#content) : 0) + this.#recent.length;
  }

  get isProvisional(): boolean {
    return !this.#content || this.#content.provisional || this.#isOutrun(this.#content);
  }

  /** Resolves when it can be taken. */
  async prepare(): Promise<void> {
    const { position } = this.#deps;
    for (let reads = 1; !this.#isEnded; reads++) {
      const content = await this.#deps.readContent(() => position.sequence);
      await position.reached(content.sequence);
      if (reads < MAX_READS && this.#isOutrun(content)) continue;
      this.#content = content;
      return;
    }
  }

  /** In order, published or not. */
  note(sequence: number, action: TerminalAction): void {
    this.#recent.push({ sequence, action });
  }

  take({ shape, callerId }: Audience): ShapedSnapshot {
    const state = this.#state();
    return {
      resource: this.#deps.uri,
      state: shapeState(state, shape, new ClientNames(callerId)),
      fromSeq: this.#deps.teller.serverSeq,
    };
  }

  retell(subscriber: Subscriber): number {
    const { teller, position } = this.#deps;
    return teller.publishToSubscriber(subscriber, resyncActions(this.#state()), position.sequence);
  }

  [Symbol.dispose](): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#content = undefined;
    this.#recent.clear();
    this.#deps.handleEnd(this);
  }

  /** Something after the read content is not kept. */
  #isOutrun({ sequence }: TerminalContent): boolean {
    return this.#recent.droppedThrough > sequence;
  }

  #state(): TerminalState {
    this.#deps.flush();
    const read = this.#content;
    if (!read) throw new Error("a snapshot can be taken once it is prepared, until disposed");
    return { ...this.#deps.teller.state, content: [...this.#mergeContent(read)] };
  }

  /** Without the part in between where that was too much. */
  #mergeContent(read: TerminalContent): readonly TerminalContentPart[] {
    const recent = this.#recent.after(read.sequence);
    if (!this.#isOutrun(read)) return reduceContent(read, recent);
    const { droppedBoundary: boundary } = this.#recent;
    const parts = keepBeginning(read, boundary !== undefined);
    const begun = boundary?.type === "terminal/commandExecuted" ? [boundary] : [];
    return reduceContent({ parts }, [...begun, ...recent]);
  }
}
