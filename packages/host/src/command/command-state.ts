import type { CommandId, CommandQuality, EntryOf } from "@nacre/contracts";
import type { ReportedLine } from "./command-line-resolver.ts";

/**
 * What a shell does now: it starts or draws its next prompt, waits at it, waits for the rest of a line,
 * runs a command, or nobody can tell.
 */
export type CommandPhase = "starting" | "prompt" | "continuation" | "running" | "unknown";

/** The Command that runs now. */
export interface RunningCommand {
  readonly commandId: CommandId;
  /** Empty where it is not known. */
  readonly commandLine: string;
  readonly cwd?: string;
  readonly quality: CommandQuality;
  readonly startedAtMs: number;
  /** True for the line that was announced with `expectLine`. */
  readonly isExpected: boolean;
}

/** What is known of the commands of a Terminal. */
export interface CommandState {
  readonly phase: CommandPhase;
  /** How the bounds of the next command will be known. */
  readonly quality: CommandQuality;
  /** True once a marker of the shell came. */
  readonly detection: boolean;
  /** Whether markers tell of commands now; watching the processes only guesses that one ended, and never how. */
  readonly hasMarkers: boolean;
  readonly command?: RunningCommand;
  readonly cwd?: string;
}

/** What was known of the commands of a shell that goes on in another host. */
export interface ResumedCommands extends Pick<CommandState, "command" | "cwd"> {
  /** The line of the command that it was about to begin. */
  readonly reported?: ReportedLine | undefined;
  /** What was typed since the last command began. */
  readonly typed?: readonly Uint8Array[] | undefined;
}

/** What watching the processes of a Terminal tells of its shell. */
export type ForegroundSignal =
  | {
      /** The shell has the terminal and waits for input. */
      readonly kind: "shellIdle";
      /** It waits with its line editor, as at a prompt; otherwise a builtin may be reading. */
      readonly lineEditor: boolean;
      /** For how long this has been so without input or output. */
      readonly forMs: number;
    }
  /** Another program than the shell has the terminal. */
  | { readonly kind: "jobRuns" }
  /** The shell became another program, as by `exec`. */
  | { readonly kind: "shellReplaced"; readonly name: string; readonly isShell: boolean };

/** The place that appending gives a fact, and when it happened. */
type EntryHeaderField = "id" | "terminalId" | "sequence" | "occurredAt" | "elapsedMs";

/** What following commands finds worth recording. */
export type CommandFact =
  | Omit<EntryOf<"command">, EntryHeaderField>
  | Omit<EntryOf<"commandEnd">, EntryHeaderField>
  | Omit<EntryOf<"cwd">, EntryHeaderField>;
