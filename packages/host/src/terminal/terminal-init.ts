// What a terminal is made with.
import type { Claim, ExecMode, InputPolicy, Size, TerminalStorage } from "@nacre/contracts";
import type { ClaimChange } from "../claim/claim-rules.ts";
import type { ResumedCommands } from "../command/command-state.ts";
import type { LaunchPolicy } from "../pty/launch.ts";
import type { Pty, PtyDriver } from "../pty/pty.ts";
import type { RecordedEntry } from "../recording/recorded-entry.ts";
import type { Recording } from "../recording/recording.ts";
import type { Recordings } from "../recording/recordings.ts";
import type { Screens } from "../screen/screens.ts";
import type { Integration } from "../shell/integration.ts";
import type { Backlog, EntryWithViews } from "./appender.ts";
import type { QuestionStore } from "./question-store.ts";
import type { Terminal } from "./terminal.ts";

/** Who is told what happens in Terminals. */
export interface TerminalObserver {
  /** An entry was recorded; told in order of sequence. */
  handleRecorded(terminal: Terminal, recorded: EntryWithViews): void;
  /** The status changed. */
  handleChange(terminal: Terminal): void;
  /** Something failed that nobody waits for. */
  handleProblem(terminal: Terminal, error: unknown): void;
}

/** What all terminals of a host share. */
export interface TerminalDeps {
  /** Gives programs a terminal. */
  readonly driver: PtyDriver;
  /** Gives programs pipes. */
  readonly pipes: PtyDriver;
  readonly policy: LaunchPolicy;
  readonly recordings: Recordings;
  readonly screens: Screens;
  /** Keeps open questions for the next host; nobody does when absent. */
  readonly questions?: QuestionStore | undefined;
  /** What all terminals together have waiting for the disk. */
  readonly backlog: Backlog;
  readonly observer: TerminalObserver;
  /** Where shells get what they need to report their commands; readable by this user only. */
  readonly shellDirectory: string;
  /** Whether programs wait while nothing can be recorded, where nobody says otherwise; a gap stands for what they write when absent. */
  readonly strict?: boolean | undefined;
}

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
  /** What is known of its commands, where the shell shows its markers. */
  readonly resumed?: ResumedCommands | undefined;
  /** What the shell has drawn behind its prompt. */
  readonly drawnAtPrompt?: Uint8Array | undefined;
}

export interface TerminalInit {
  readonly row: TerminalStorage;
  readonly pty: Pty;
  readonly size: Size;
  readonly recording: Recording;
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
