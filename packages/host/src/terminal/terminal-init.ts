import type { Claim, ExecMode, InputPolicy, Size, TerminalStorage } from "@nacre/contracts";
import type { ClaimChange } from "../claim/claim-rules.ts";
import type { ResumedCommands } from "../command/command-state.ts";
import type { Pty } from "../pty/pty.ts";
import type { RecordedEntry } from "../recording/recorded-entry.ts";
import type { Recording } from "../recording/recording.ts";
import type { Recordings } from "../recording/recordings.ts";
import type { Screens } from "../screen/screens.ts";
import type { Integration } from "../shell/integration.ts";
import type { Backlog } from "./appender.ts";
import type { QuestionStore } from "./question-store.ts";

/** What another host has recorded of a Terminal that goes on in this one. */
export interface PriorRun {
  readonly lastSequence: number;
  /** How much of the output is recorded, or lost. */
  readonly outputBytes: number;
  /** How much of it nobody has any more, behind what is recorded. */
  readonly lostBytes: number;
  /** Where two texts come apart: how much of each is read once more, though it is recorded. */
  readonly again?: { readonly stdout: number; readonly stderr: number } | undefined;
  readonly title: string | undefined;
  /** The claim that it was created with. */
  readonly firstClaim: Claim;
  /** The entry with which a command began that did not end. */
  readonly command: Extract<RecordedEntry, { type: "command" }> | undefined;
  readonly cwd: string | undefined;
  /** The line of a command that the shell was about to begin. */
  readonly reported?: ResumedCommands["reported"];
  /** What was typed since the last command began; undefined where that is not recorded. */
  readonly typed?: ResumedCommands["typed"];
  /** What the shell has drawn behind its prompt. */
  readonly drawnAtPrompt?: Uint8Array | undefined;
}

export interface TerminalInit {
  readonly row: TerminalStorage;
  readonly pty: Pty;
  readonly size: Size;
  readonly recording: Recording;
  readonly recordings: Recordings;
  readonly backlog: Backlog;
  readonly screens: Screens;
  /** Keeps open questions for the next host; nobody does when absent. */
  readonly questions?: QuestionStore | undefined;
  readonly integration?: Integration | undefined;
  /** The claim it begins with. */
  readonly claim: ClaimChange;
  readonly cwdFallback?: true | undefined;
  /** Present when it was created in another host, and outlived that. */
  readonly earlier?: PriorRun | undefined;
  readonly options: TerminalOptions;
}

export interface TerminalOptions {
  /** Who may type; `open` when absent. */
  readonly inputPolicy?: InputPolicy | undefined;
  /** Believe shell-integration markers that anybody could have printed. */
  readonly trustForeignMarkers?: boolean | undefined;
  /** What becomes of the terminal when its owner is gone; `kill` when absent. */
  readonly whenOwnerEnds?: "kill" | "keep" | undefined;
  /** Whether the program gets a terminal; `pty` when absent. */
  readonly mode?: ExecMode | undefined;
  /** When whoever runs a command by itself ends it, in Unix ms; the host that goes on with its terminal does it then. */
  readonly endAt?: number | undefined;
  /** Whether what such a command leaves in the background goes on when it ends. */
  readonly keepBackground?: boolean | undefined;
}

/** What is known of the commands of a terminal that goes on here. */
export function toResumedCommands({
  command,
  cwd,
  reported,
  typed,
}: Pick<PriorRun, "command" | "cwd" | "reported" | "typed">): ResumedCommands {
  const place = { reported, typed, ...(cwd === undefined ? {} : { cwd }) };
  if (!command) return place;
  const { commandId, commandLine, quality } = command;
  // The clock of a process begins with it; what is before has a time below zero.
  const startedAtMs = performance.now() - (Date.now() - Date.parse(command.occurredAt));
  const known = { commandId, commandLine, quality, startedAtMs, isExpected: false };
  return { ...place, command: command.cwd === undefined ? known : { ...known, cwd: command.cwd } };
}
