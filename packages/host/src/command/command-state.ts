import type { CommandId, CommandQuality, EntryOf } from "@nacre/contracts";
import type { ReportedLine } from "./command-line-resolver.ts";

/** `starting`: starts, or draws its next prompt. `continuation`: waits for the rest of a line. */
export type CommandPhase = "starting" | "prompt" | "continuation" | "running" | "unknown";

export interface RunningCommand {
  readonly commandId: CommandId;
  /** Empty: unknown. */
  readonly commandLine: string;
  readonly cwd?: string;
  readonly quality: CommandQuality;
  readonly startedAtMs: number;
  /** Announced with `expectLine`. */
  readonly isExpected: boolean;
}

export interface CommandState {
  readonly phase: CommandPhase;
  /** Quality of the next command. */
  readonly quality: CommandQuality;
  /** A marker of the shell was seen. */
  readonly detection: boolean;
  /** Whether markers report commands now. Process watching only infers that a command ended, never its exit code. */
  readonly hasMarkers: boolean;
  readonly command?: RunningCommand;
  readonly cwd?: string;
}

/** The command state of a shell that another host handed over. */
export interface ResumedCommands extends Pick<CommandState, "command" | "cwd"> {
  /** Reported line of a command that had not started yet. */
  readonly reported?: ReportedLine | undefined;
  /** Typed since the last command started. */
  readonly typed?: readonly Uint8Array[] | undefined;
}

export type ForegroundSignal =
  | {
      /** The shell is in the foreground and waits for input. */
      readonly kind: "shellIdle";
      /** A prompt; otherwise a builtin may be reading. */
      readonly lineEditor: boolean;
      /** How long, without input or output. */
      readonly forMs: number;
    }
  | { readonly kind: "jobRuns" }
  /** As by `exec`. */
  | { readonly kind: "shellReplaced"; readonly name: string; readonly isShell: boolean };

/** Assigned when the fact is appended. */
type EntryHeaderField = "id" | "terminalId" | "sequence" | "occurredAt" | "elapsedMs";

export type CommandFact =
  | Omit<EntryOf<"command">, EntryHeaderField>
  | Omit<EntryOf<"commandEnd">, EntryHeaderField>
  | Omit<EntryOf<"cwd">, EntryHeaderField>;
