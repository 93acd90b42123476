import {
  type Caller,
  type TerminalData,
  type TerminalOwnerReference,
  type TerminalSummary,
} from "@nacre/contracts";
import { formatSessionId } from "../../../operations/session-id.ts";

/** A session as the terminal service shows it; its id is that of the terminal, written as `term-…`. */
export interface ServiceSession {
  readonly id: string;
  readonly cwd: string;
  readonly createdAt: string;
  readonly shell: string;
  /** Present when it started in the home directory because the one asked for could not be used. */
  readonly cwdFallback?: true;
}

/** For whom sessions are created that an agent does not own. */
const SERVICE_OWNER = { entityName: "System", entityId: "terminal-service" };

/** Under which name the owner keeps which shell a session has. */
const SHELL_ATTRIBUTE = "shell";

/** Whose a new session is: the caller's own where it has an owner; the shell is kept with it. */
export const makeSessionOwner = ({ owner }: Caller, shell: string): TerminalOwnerReference => ({
  ...(owner ?? SERVICE_OWNER),
  attributes: { ...owner?.attributes, [SHELL_ATTRIBUTE]: shell },
});

/** The shell of a session; one that was not created here has the usual one for all that is known. */
function shellOf(owner: TerminalOwnerReference, usual: string): string {
  const shell = owner.attributes?.[SHELL_ATTRIBUTE];
  return typeof shell === "string" ? shell : usual;
}

/** A terminal as a session. */
export const toSession = (terminal: TerminalData, usualShell: string): ServiceSession => ({
  id: formatSessionId(terminal.id),
  cwd: terminal.workingDirectory,
  createdAt: terminal.createdAt,
  shell: shellOf(terminal.owner, usualShell),
  ...(terminal.cwdFallback === undefined ? {} : { cwdFallback: terminal.cwdFallback }),
});

/** A line of the list as a session, where the line tells enough. */
export const toListedSession = (
  { id, cwd, createdAt, owner }: TerminalSummary,
  usualShell: string,
): ServiceSession | undefined =>
  cwd === undefined
    ? undefined
    : { id: formatSessionId(id), cwd, createdAt, shell: shellOf(owner, usualShell) };

/** Sessions that ended are gone for this service; their recordings are found by other routes. */
export const isSession = ({ state }: Pick<TerminalSummary, "state">): boolean =>
  state === "active" || state === "creating" || state === "killing";
