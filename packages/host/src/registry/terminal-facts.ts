import type {
  Claim,
  InputRequest,
  LapsedInputRequest,
  RecordingBlocked,
  Size,
  TerminalId,
  TerminalOwnerReference,
  TerminalState,
  Timestamp,
} from "@nacre/contracts";
import { displayTitle } from "../terminal/terminal-data.ts";
import type { TerminalOptions } from "../terminal/terminal-init.ts";
import type { ReadableTerminal } from "./registry.ts";

export type { ContentPart, TerminalContent } from "../terminal/content.ts";
export type { ContentOptions } from "../terminal/read-content.ts";

/** What can be said of a Terminal at once, without its recording. */
export interface TerminalFacts {
  readonly id: TerminalId;
  /** Tells it apart from another one that had the id before. */
  readonly createdAt: Timestamp;
  readonly owner: TerminalOwnerReference;
  /** Never empty. */
  readonly title: string;
  /** What stands for the title when nobody set one. */
  readonly untitled: string;
  /** Where the shell is. */
  readonly cwd?: string | undefined;
  readonly size?: Size | undefined;
  readonly claim: Claim;
  readonly state: TerminalState;
  /** Present once the program ended. */
  readonly exit?: { readonly exitCode: number | null } | undefined;
  /** Whether its shell has begun to report its commands. */
  readonly detectsCommands: boolean;
  /** Why nothing new of it is shown, while something cannot be recorded. */
  readonly recordingBlocked?: RecordingBlocked | undefined;
  /** What people are asked about it. */
  readonly inputRequests?: readonly InputRequest[] | undefined;
  /** What they were asked and nobody answered in time. */
  readonly lapsedRequests?: readonly LapsedInputRequest[] | undefined;
  /** Whether the program has a terminal and not just pipes. */
  readonly isPty: boolean;
}

/** What facts are made from. */
interface FactSource extends Pick<ReadableTerminal, "status"> {
  /** Only of terminals that are still listed. */
  readonly options?: TerminalOptions;
}

/** The facts of a Terminal as of now. */
export function factsOf({ status, options }: FactSource): TerminalFacts {
  const { row, title, shell, cwd, size, claim, state, exit, reportsCommands } = status;
  return {
    id: row.id,
    createdAt: row.createdAt,
    owner: row.owner,
    title: displayTitle({ row, title, shell }),
    untitled: displayTitle({ row, shell }),
    cwd: cwd ?? row.workingDirectory,
    size,
    claim: claim.claim,
    state,
    exit,
    detectsCommands: reportsCommands ?? false,
    recordingBlocked: status.recordingBlocked,
    inputRequests: status.inputRequests,
    lapsedRequests: status.lapsedRequests,
    isPty: options?.mode !== "pipe",
  };
}
