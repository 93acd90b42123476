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

/** What an action costs beside its text. */
const ACTION_LENGTH = 256;

/** What decides which part the output behind it belongs to. */
const BOUNDARIES: ReadonlySet<string> = new Set([
  "terminal/commandExecuted",
  "terminal/commandFinished",
  "terminal/cleared",
]);

/** An action that an entry brought. */
interface RecentAction {
  readonly sequence: number;
  readonly action: TerminalAction;
}

/** The newest actions of a terminal, up to so many characters; of more, the oldest are dropped. */
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

  /** How many characters they have, roughly. */
  get length(): number {
    return this.#length;
  }

  /** The entry of the last one that was dropped; 0 when none was. */
  get droppedThrough(): number {
    return this.#droppedThrough;
  }

  /** Of what was dropped, the last that said where output belongs to; nothing when none did. */
  get droppedBoundary(): TerminalAction | undefined {
    return this.#droppedBoundary;
  }

  push(recent: RecentAction): void {
    this.#actions.push(recent);
    this.#length += actionLengthOf(recent);
    while (this.#length > this.#maxLength) this.#drop();
    if (this.#first * 2 > this.#actions.length) this.#tidy();
  }

  /** Those of the entries after one. */
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

/** What a terminal showed, and what was told since, as clients fold it. */
function reduceContent(
  { parts }: Pick<TerminalContent, "parts">,
  actions: readonly TerminalAction[],
): readonly TerminalContentPart[] {
  const state: { readonly content: readonly TerminalContentPart[] } = {
    content: parts.map(encodePart),
  };
  return reduceTerminalActions(state, actions, "lifecycle").content;
}

/** What stands for older output in content that goes on elsewhere, and the command that was running unless it is over. */
function keepBeginning(
  { parts, truncated }: TerminalContent,
  isOver: boolean,
): readonly ContentPart[] {
  const last = parts.at(-1);
  const isRunning = last?.kind === "command" && !last.isComplete && !isOver;
  return [...(truncated ? parts.slice(0, 1) : []), ...(isRunning ? [{ ...last, output: "" }] : [])];
}

/** How many characters of output content has. */
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

/** Characters that are kept of what comes while content is read, and until it is taken: of a flood, the newest. */
const MAX_RECENT_LENGTH = 512 * 1024;

/** Content that a flood outran while it was read is read again this often, before the middle of the flood is left out. */
const MAX_READS = 2;

export interface TerminalSnapshotDeps {
  /** The channel, as it was asked for. */
  readonly uri: string;
  readonly position: FeedPosition;
  readonly teller: ActionLog;
  /** Reads what was shown up to an entry, which is looked at as late as possible. */
  readContent(through: () => number): Promise<TerminalContent>;
  /** Tells what was taken from the feed and waits to be told. */
  flush(): void;
  handleEnd(snapshot: TerminalSnapshot): void;
}

/**
 * A snapshot of a terminal: its content is read, and what the feed brought since is added when it is taken. In a flood
 * that is faster than that, content between what was drawn and the newest output is left out.
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

  /** Reads the content; resolves when it can be taken. */
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

  /** Takes note of what an entry brought, in order, whether it was told yet or not. */
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

  /** Whether something that came after the content was read is not kept. */
  #isOutrun({ sequence }: TerminalContent): boolean {
    return this.#recent.droppedThrough > sequence;
  }

  #state(): TerminalState {
    this.#deps.flush();
    const read = this.#content;
    if (!read) throw new Error("a snapshot can be taken once it is prepared, until disposed");
    return { ...this.#deps.teller.state, content: [...this.#mergeContent(read)] };
  }

  /** What was read and what came since, without what is between where that was too much. */
  #mergeContent(read: TerminalContent): readonly TerminalContentPart[] {
    const recent = this.#recent.after(read.sequence);
    if (!this.#isOutrun(read)) return reduceContent(read, recent);
    const { droppedBoundary: boundary } = this.#recent;
    const parts = keepBeginning(read, boundary !== undefined);
    const begun = boundary?.type === "terminal/commandExecuted" ? [boundary] : [];
    return reduceContent({ parts }, [...begun, ...recent]);
  }
}
