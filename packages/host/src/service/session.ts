/** What a session can be created with; everything has a default. */
export interface SessionOptions {
  readonly cwd?: string | undefined;
  readonly shell?: string | undefined;
  readonly cols?: number | undefined;
  readonly rows?: number | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
}

/** A session of the service, as lists show it. */
export interface TerminalSession {
  readonly id: string;
  readonly cwd: string;
  readonly createdAt: Date;
  readonly shell: string;
  /** Present when it started in the home directory because the one asked for could not be used. */
  readonly cwdFallback?: true;
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
