import type { TerminalAction } from "../protocol/action.ts";
import { cwdToUri } from "../protocol/uri.ts";
import type { SourceEntry } from "./terminal-source.ts";
import { encodeClaim, exitedAction } from "./told-state.ts";

/** What clients are told of the entries of one terminal that are no output, in their order. */
export class EntryEncoder {
  readonly #untitled: string;
  /** The command that is not told of: where it begins and ends is a guess. */
  #guessed: string | undefined;

  /** @param untitled What stands for the title when nobody set one. */
  constructor(untitled: string) {
    this.#untitled = untitled;
  }

  /** What clients are told of an entry; nothing of most. */
  encode(entry: SourceEntry): TerminalAction | undefined {
    if (entry.type === "command") {
      this.#guessed = entry.quality === "estimated" ? entry.commandId : undefined;
    }
    const isGuessed = "commandId" in entry && entry.commandId === this.#guessed;
    return isGuessed ? undefined : encodeEntry(entry, this.#untitled);
  }
}

function encodeEntry(entry: SourceEntry, untitled: string): TerminalAction | undefined {
  switch (entry.type) {
    case "resize":
      return { type: "terminal/resized", cols: entry.cols, rows: entry.rows };
    case "claim":
      return { type: "terminal/claimed", claim: encodeClaim(entry.claim) };
    case "title":
      return { type: "terminal/titleChanged", title: entry.title || untitled };
    case "cwd":
      return { type: "terminal/cwdChanged", cwd: cwdToUri(entry.cwd) };
    case "exit":
      return exitedAction(entry.exitCode);
    case "clear":
      return { type: "terminal/cleared" };
    case "command":
      return {
        type: "terminal/commandExecuted",
        commandId: entry.commandId,
        commandLine: entry.commandLine,
        timestamp: Date.parse(entry.occurredAt),
      };
    case "commandEnd":
      return {
        type: "terminal/commandFinished",
        commandId: entry.commandId,
        ...(entry.exitCode === undefined ? {} : { exitCode: entry.exitCode }),
        ...(entry.durationMs === undefined ? {} : { durationMs: entry.durationMs }),
      };
    case "header":
    case "input":
    case "output":
    case "marker":
    case "gap":
      return undefined;
  }
}

/** The text of an output's view; each can be shown by itself, and so is read by itself. */
export const decodeOutput = (view: Uint8Array): string =>
  Buffer.from(view.buffer, view.byteOffset, view.byteLength).toString();
