import type { TerminalAction } from "../protocol/action.ts";

/** What an action costs beside its text. */
const ACTION_LENGTH = 256;

/** What decides which part the output behind it belongs to. */
const BOUNDARIES: ReadonlySet<string> = new Set([
  "terminal/commandExecuted",
  "terminal/commandFinished",
  "terminal/cleared",
]);

/** An action that an entry brought. */
export interface RecentAction {
  readonly sequence: number;
  readonly action: TerminalAction;
}

/** The newest actions of a terminal, up to so many characters; of more, the oldest are dropped. */
export class RecentActions {
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
