import {
  type ClaimState,
  type Command,
  type CommandQuality,
  type ControlRequest,
  decodeBytes,
  type InputNeeded,
  type InputRequest,
  type LapsedInputRequest,
  type InputPolicy,
  type LostReason,
  type LimitReached,
  type LimitsInForce,
  MAX_READ_SCREEN_LENGTH,
  MAX_TITLE_LENGTH,
  type RecordingBlocked,
  type RecordingExtent,
  type SignalName,
  type Size,
  type TerminalData,
  type TerminalRecordingEntry,
  type TerminalState,
  type TerminalStorage,
  type TerminalSummary,
} from "@nacre/contracts";
import type { ScreenPicture } from "../screen/screen-change.ts";

/** How the program of a Terminal ended. */
interface ExitStatus {
  readonly exitCode: number | null;
  readonly signal?: SignalName | undefined;
  readonly limitReached?: LimitReached | undefined;
}

/** What can be said of a Terminal at a moment without reading its recording. */
export interface TerminalStatus {
  readonly row: TerminalStorage;
  readonly state: TerminalState;
  readonly claim: ClaimState;
  readonly exit?: ExitStatus | undefined;
  /** Why it is lost, where that is known. */
  readonly lostReason?: LostReason | undefined;
  /** What its programs are held to. */
  readonly limits?: LimitsInForce | undefined;
  readonly title?: string | undefined;
  /** The shell that runs, by name, where it is one that is known. */
  readonly shell?: string | undefined;
  readonly cwd?: string | undefined;
  readonly cwdFallback?: true | undefined;
  readonly size?: Size | undefined;
  readonly commandDetection: CommandQuality;
  /** Whether the shell has begun to report its commands. */
  readonly reportsCommands?: boolean | undefined;
  readonly runningCommand?: Command | undefined;
  /** The command that ended last. */
  readonly lastCommand?: Command | undefined;
  readonly inputNeeded?: InputNeeded | undefined;
  /** Why nothing new is shown, while something cannot be recorded. */
  readonly recordingBlocked?: RecordingBlocked | undefined;
  readonly inputPolicy: InputPolicy;
  readonly controlRequests: readonly ControlRequest[];
  readonly inputRequests: readonly InputRequest[];
  readonly lapsedRequests: readonly LapsedInputRequest[];
  readonly viewers: number;
}

/** What is read for a whole reading of a Terminal. */
export interface TerminalReading {
  readonly entries: TerminalRecordingEntry[];
  readonly extent: RecordingExtent;
  /** Whether older entries are not among them. */
  readonly isWindowFull: boolean;
  readonly picture: ScreenPicture;
}

/** The name of the one pseudo-terminal inside a Terminal. */
const PANE_ID = "pty";

/** What is told of an end, of whatever else is known of it. */
export const pickExitStatus = (
  exit: Omit<ExitStatus, "exitCode"> & { readonly exitCode?: number | null },
): ExitStatus => {
  const { exitCode = null, signal, limitReached } = exit;
  return { exitCode, signal, limitReached };
};

/** A Terminal as one line of a list. */
export function summarizeTerminal(status: TerminalStatus): TerminalSummary {
  const { row, exit } = status;
  return {
    id: row.id,
    owner: row.owner,
    createdAt: row.createdAt,
    title: displayTitle(status),
    state: status.state,
    claim: status.claim,
    exitCode: exit?.exitCode ?? null,
    commandDetection: status.commandDetection,
    inputPolicy: status.inputPolicy,
    viewers: status.viewers,
    ...omitUndefined({
      name: row.name,
      signal: exit?.signal,
      lostReason: status.lostReason,
      cwd: status.cwd,
      runningCommand: status.runningCommand,
      lastCommand: status.lastCommand,
      inputNeeded: status.inputNeeded,
      recordingBlocked: status.recordingBlocked,
      controlRequests: nonEmpty(status.controlRequests),
      inputRequests: nonEmpty(status.inputRequests),
      lapsedRequests: nonEmpty(status.lapsedRequests),
    }),
  };
}

/** A Terminal as readers see it. */
export function buildTerminalData(status: TerminalStatus, reading: TerminalReading): TerminalData {
  const { row, exit, state } = status;
  const isRunning = state === "active" || state === "killing";
  const [screen, isScreenWhole] = shownScreen(reading.picture);
  return {
    ...row,
    claim: status.claim,
    recordingEntries: reading.entries,
    recording: reading.extent,
    state,
    commandDetection: status.commandDetection,
    inputPolicy: status.inputPolicy,
    viewers: status.viewers,
    terminalPaneId: PANE_ID,
    connected: isRunning,
    dead: !isRunning && state !== "creating",
    exitCode: exit?.exitCode ?? null,
    screen,
    truncated: reading.isWindowFull || !isScreenWhole,
    ...omitUndefined({
      runningCommand: status.runningCommand,
      inputNeeded: status.inputNeeded,
      recordingBlocked: status.recordingBlocked,
      controlRequests: nonEmpty(status.controlRequests),
      inputRequests: nonEmpty(status.inputRequests),
      lapsedRequests: nonEmpty(status.lapsedRequests),
      signal: exit?.signal,
      lostReason: status.lostReason,
      limitReached: exit?.limitReached,
      limits: isRunning ? status.limits : undefined,
      title: status.title,
      cwd: status.cwd,
      cwdFallback: status.cwdFallback,
      cols: status.size?.cols,
      rows: status.size?.rows,
      chunk: newestOutput(reading.entries),
    }),
  };
}

/** What fits of a screen into a reading, and whether that is all of it. */
function shownScreen({ content = "", text, isFull }: ScreenPicture): [string, boolean] {
  if (content.length <= MAX_READ_SCREEN_LENGTH) return [content, !isFull];
  const rows = text.replaceAll("\n", "\r\n");
  return [rows.length <= MAX_READ_SCREEN_LENGTH ? rows : "", false];
}

/** The newest output that can be seen, as text. */
function newestOutput(entries: readonly TerminalRecordingEntry[]): string | undefined {
  for (const entry of entries.toReversed()) {
    if (entry.type !== "output" || !entry.data) continue;
    return Buffer.from(decodeBytes({ ...entry, data: entry.data })).toString();
  }
  return undefined;
}

/** What a Terminal is called: its title, its name, or what it runs; always one line that can be shown. */
export function displayTitle(status: Pick<TerminalStatus, "row" | "title" | "shell">): string {
  const { row, title, shell } = status;
  const text = title || row.name || row.command || shell || "shell";
  return (
    text
      // oxlint-disable-next-line no-control-regex -- replacing them is the purpose
      .replaceAll(/[\u0000-\u001f\u007f-\u009f]/g, " ")
      .slice(0, MAX_TITLE_LENGTH)
      .toWellFormed()
  );
}

/** Requests, where there are any. */
const nonEmpty = <Request>(requests: readonly Request[]): Request[] | undefined =>
  requests.length > 0 ? [...requests] : undefined;

type WithoutUndefined<Fields> = { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> };

/** Leaves out what is not there, so that strict readers see no empty fields. */
function omitUndefined<Fields extends object>(fields: Fields): WithoutUndefined<Fields> {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as WithoutUndefined<Fields>;
}
