import type { ContentPart, TerminalContent } from "../../../operations/terminal-listing.ts";
import type { TerminalAction } from "../protocol/action.ts";
import { foldTerminal } from "../protocol/reducer.ts";
import type { TerminalContentPart } from "../protocol/state.ts";

/** Text that was not folded yet is joined when it has become this many pieces. */
const MAX_PIECES = 1024;

/** What a terminal showed, with everything folded in that was told since; as clients do it, so that both agree. */
export class ContentFold {
  #state: { readonly content: readonly TerminalContentPart[] };
  #texts: string[] = [];
  #addedLength = 0;
  readonly #readLength: number;

  constructor(content: TerminalContent) {
    this.#state = { content: content.parts.map(partOf) };
    this.#readLength = content.parts.reduce((sum, part) => sum + lengthOf(part), 0);
  }

  /** How many characters of output it has, or had before some was taken away. */
  get length(): number {
    return this.#readLength + this.#addedLength;
  }

  /** How many characters were added since the beginning. */
  get addedLength(): number {
    return this.#addedLength;
  }

  push(action: TerminalAction): void {
    if (action.type !== "terminal/data") {
      this.#fold(action);
      return;
    }
    this.#texts.push(action.data);
    this.#addedLength += action.data.length;
    if (this.#texts.length >= MAX_PIECES) this.#fold();
  }

  /** The parts as of now. */
  get parts(): TerminalContentPart[] {
    this.#fold();
    return [...this.#state.content];
  }

  #fold(...more: TerminalAction[]): void {
    const data = this.#texts.join("");
    this.#texts = [];
    const actions: TerminalAction[] =
      data === "" ? more : [{ type: "terminal/data", data }, ...more];
    this.#state = foldTerminal(this.#state, actions, "lifecycle");
  }
}

const lengthOf = (part: ContentPart): number =>
  part.kind === "unclassified" ? part.text.length : part.output.length;

function partOf(part: ContentPart): TerminalContentPart {
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
