import { isAbsolute, resolve } from "node:path";
import type { TerminalInput } from "@nacre/contracts";
import type { Registry } from "../../registry/registry.ts";
import { formatSessionId, SESSION_OWNER } from "./session-id.ts";
import type { SessionPty } from "./session-pty.ts";

type Terminal = ReturnType<Registry["get"]>;

/** A terminal as the service lists it. */
export function toSessionInfo(
  { row, status }: Terminal,
  { cwd, shell }: SessionOptions & { readonly shell: string },
): SessionInfo {
  const isHome = status.cwdFallback ?? cwd?.includes("\0") ?? false;
  return {
    id: formatSessionId(row.id),
    cwd: row.workingDirectory,
    createdAt: new Date(row.createdAt),
    shell,
    ...(isHome ? { cwdFallback: true } : {}),
  };
}

/** The shell that was asked for; an empty name asks for the usual one. */
export const shellOf = ({ shell }: SessionOptions): Pick<SessionOptions, "shell"> =>
  shell ? { shell } : {};

/** What to create the terminal of a session from. */
export function buildTerminalInput(options: SessionOptions, usualDirectory: string): TerminalInput {
  const { cols, rows, env } = options;
  return {
    owner: SESSION_OWNER,
    workingDirectory: directoryOf(options) ?? usualDirectory,
    cwdFallback: "home",
    ...shellOf(options),
    // Zero and nothing both mean the usual size.
    ...(cols || rows ? { size: { cols: cols || 80, rows: rows || 24 } } : {}),
    ...(env === undefined ? {} : { env: { ...env } }),
  };
}

/** The directory that was asked for, if it can be one at all. */
function directoryOf({ cwd = "" }: SessionOptions): string | undefined {
  const path = cwd.trim();
  if (path === "" || path.includes("\0")) return undefined;
  return isAbsolute(path) ? path : resolve(path);
}

/** What a session can be created with; everything has a default. */
export interface SessionOptions {
  readonly cwd?: string | undefined;
  readonly shell?: string | undefined;
  readonly cols?: number | undefined;
  readonly rows?: number | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
}

/** A session of the service, as lists show it. */
export interface SessionInfo {
  readonly id: string;
  readonly cwd: string;
  readonly createdAt: Date;
  readonly shell: string;
  /** Present when it started in the home directory because the one asked for could not be used. */
  readonly cwdFallback?: true;
}

/** A session with the state that programs look at. Output is handed on as it comes, so that none waits and no timer runs. */
export interface TerminalSession extends SessionInfo {
  readonly pty: SessionPty;
  /** The newest output. */
  readonly scrollbackBuffer: string;
  /** Output that callbacks have not got yet: none. */
  readonly outputBuffer: "";
  readonly flushTimeout: null;
  /** Whether output is taken for a redraw after a resize; it is not left out. */
  readonly resizeInProgress: boolean;
  readonly resizeDebounceTimeout: null;
}

/** A hint that comes with output. */
export interface DataHint {
  /** The program probably only draws again what was there before a resize. */
  readonly redraw: boolean;
}

/** Takes the output of all sessions, in order and without holes. */
export type DataCallback = (sessionId: string, data: string, hint: DataHint) => void;

/** Takes the end of each session, after all of its output; without a code when a signal ended it. */
export type ExitCallback = (
  sessionId: string,
  exitCode: number | null,
  signal: string | undefined,
) => void;
