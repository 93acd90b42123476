import type { CommandId, Timestamp } from "@nacre/contracts";
import type { EntryWithViews } from "./appender.ts";

/** A stretch of what a Terminal showed: between commands, or the output of one. */
export type ContentPart =
  | { readonly kind: "unclassified"; text: string }
  | {
      readonly kind: "command";
      readonly commandId: CommandId;
      readonly commandLine: string;
      readonly startedAt: Timestamp;
      output: string;
      isComplete: boolean;
      exitCode?: number;
      durationMs?: number;
    };

type CommandPart = Extract<ContentPart, { kind: "command" }>;

/** What a Terminal showed, in parts that draw its screen when written one after the other. */
export interface TerminalContent {
  /** The last entry taken into account. */
  readonly sequence: number;
  readonly parts: readonly ContentPart[];
  /** Whether the first part stands for older output that is left out. */
  readonly truncated: boolean;
  /** Whether it was made in the middle of a flood: the first part may be older than what follows, and later there is more to read. */
  readonly provisional: boolean;
}

/** Sorts entries into parts, in order of sequence. */
export class ContentBuilder {
  #parts: ContentPart[] = [];

  /** The parts so far. */
  get parts(): readonly ContentPart[] {
    return this.#parts;
  }

  /** Begins with what stands for everything before. */
  begin(text: string): void {
    if (text !== "") this.#parts.push({ kind: "unclassified", text });
  }

  /** Takes the next entry; what is not shown changes nothing. */
  push({ entry, view }: EntryWithViews): void {
    switch (entry.type) {
      case "output":
        if (view)
          this.#write(Buffer.from(view.buffer, view.byteOffset, view.byteLength).toString());
        return;
      case "command":
        // Where such a command begins and ends is a guess, and what it wrote stays with the rest.
        if (entry.quality === "estimated") return;
        this.#parts.push({
          kind: "command",
          commandId: entry.commandId,
          commandLine: entry.commandLine,
          startedAt: entry.occurredAt,
          output: "",
          isComplete: false,
        });
        return;
      case "commandEnd":
        this.#close(entry);
        return;
      case "clear":
        this.#parts = [];
        return;
      case "header":
      case "input":
      case "resize":
      case "exit":
      case "claim":
      case "title":
      case "cwd":
      case "marker":
      case "gap":
    }
  }

  #write(text: string): void {
    if (text === "") return;
    const last = this.#parts.at(-1);
    if (last?.kind === "command" && !last.isComplete) last.output += text;
    else if (last?.kind === "unclassified") last.text += text;
    else this.#parts.push({ kind: "unclassified", text });
  }

  #close(end: {
    commandId: CommandId;
    exitCode?: number | undefined;
    durationMs?: number | undefined;
  }): void {
    const isMeant = (part: ContentPart): part is CommandPart =>
      part.kind === "command" && part.commandId === end.commandId;
    const begun = this.#parts.findLast(isMeant);
    if (!begun) return;
    begun.isComplete = true;
    if (end.exitCode !== undefined) begun.exitCode = end.exitCode;
    if (end.durationMs !== undefined) begun.durationMs = end.durationMs;
  }
}
