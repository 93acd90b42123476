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

/** Without reading its recording. */
export interface TerminalFacts {
  readonly id: TerminalId;
  /** Distinguishes it from an earlier terminal with the same id. */
  readonly createdAt: Timestamp;
  readonly owner: TerminalOwnerReference;
  /** Never empty. */
  readonly title: string;
  /** Shown when nobody set a title. */
  readonly untitled: string;
  /** The shell's. */
  readonly cwd?: string | undefined;
  readonly size?: Size | undefined;
  readonly claim: Claim;
  readonly state: TerminalState;
  /** Present once the program ended. */
  readonly exit?: { readonly exitCode: number | null } | undefined;
  /** Its shell has reported a command. */
  readonly detectsCommands: boolean;
  /** While output cannot be recorded. */
  readonly recordingBlocked?: RecordingBlocked | undefined;
  readonly inputRequests?: readonly InputRequest[] | undefined;
  /** Not answered in time. */
  readonly lapsedRequests?: readonly LapsedInputRequest[] | undefined;
  /** False: on pipes. */
  readonly isPty: boolean;
}

interface FactSource extends Pick<ReadableTerminal, "status"> {
  /** Only of listed terminals. */
  readonly options?: TerminalOptions;
}

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
