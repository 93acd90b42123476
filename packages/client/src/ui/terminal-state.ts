// What the host tells of a terminal, in the words and tones that everybody shows.
import type {
  Command,
  InputNeeded,
  LostReason,
  RecordingBlocked,
  StorageInfo,
  TerminalState,
} from "@nacre/contracts";

/** What a fact means at a glance; who shows it has a colour for each. */
export type Tone = "neutral" | "good" | "bad" | "warn" | "info";

/** A fact in a few words. */
export interface Described {
  readonly words: string;
  readonly tone: Tone;
  /** What else there is to say, as a sentence. */
  readonly details?: string;
}

/** How something ended, as far as it is known. */
export interface Ending {
  readonly exitCode?: number | null | undefined;
  readonly signal?: string | undefined;
}

/** What a shell makes of Ctrl-C; a person who presses it knows. */
const INTERRUPTED = 130;

/** Whether something went wrong by itself; what a person interrupted did not. */
export function hasFailed({ exitCode, signal }: Ending): boolean {
  if (signal !== undefined) return signal !== "SIGINT";
  return (exitCode ?? 0) !== 0 && exitCode !== INTERRUPTED;
}

/** What is known of where a terminal is in its life. */
export interface StateFacts extends Ending {
  /** Absent where only its recording is left. */
  readonly state?: TerminalState | undefined;
  readonly lostReason?: LostReason | undefined;
  readonly recordingBlocked?: RecordingBlocked | undefined;
}

/** Where a terminal is in its life, with how it ended. */
export function describeState(facts: StateFacts): Described {
  const { state, lostReason, recordingBlocked } = facts;
  if (recordingBlocked) {
    const { message, suggestion } = recordingBlocked;
    const words = BLOCKED_WORDS[recordingBlocked.reason];
    return { words, tone: "bad", details: `${message}. ${suggestion}` };
  }
  switch (state) {
    case "creating":
      return { words: "starting", tone: "info" };
    case "active":
      return RUNNING;
    case "killing":
      return { words: "ending", tone: "warn" };
    case "failed":
      return { words: "did not start", tone: "bad" };
    case "lost": {
      const details = lostReason === undefined ? {} : { details: LOST_WORDS[lostReason] };
      return { words: "lost", tone: "warn", ...details };
    }
    case "exited":
    case undefined:
      // Whoever sent a signal to the program of a terminal knows about it.
      return { ...describeEnding(facts), ...(facts.signal === undefined ? {} : { tone: "warn" }) };
  }
}

/** Whether the program of a terminal is there. */
export const isAlive = ({ state }: Pick<StateFacts, "state">): boolean =>
  state === "creating" || state === "active" || state === "killing";

/** What runs, whatever it is. */
export const RUNNING: Described = { words: "running", tone: "info" };

/** How a command is doing: it runs, or how it ended. */
export const describeCommand = (command: Ending & Pick<Command, "lastSequence">): Described =>
  command.lastSequence === undefined ? RUNNING : describeEnding(command);

/** How something ended: its exit code or its signal, as far as anybody knows. */
export function describeEnding(ending: Ending): Described {
  const { exitCode, signal } = ending;
  if (signal === undefined && (exitCode === undefined || exitCode === null)) {
    return { words: "ended", tone: "neutral", details: "Nobody saw how it ended" };
  }
  const isGood = signal === undefined && exitCode === 0;
  const tone = isGood ? "good" : hasFailed(ending) ? "bad" : "warn";
  return { words: signal ?? `exit ${exitCode}`, tone };
}

/** Why nobody saw a program end. */
const LOST_WORDS: Readonly<Record<LostReason, string>> = {
  keeperEnded: "The keeper ended, and its programs with it",
  machineRestarted: "The machine was restarted",
  hostEnded: "The daemon ended, and its programs with it",
};

/** Why a terminal cannot be recorded. */
export const BLOCKED_WORDS: Readonly<Record<RecordingBlocked["reason"], string>> = {
  diskFull: "disk full",
  storeFailed: "disk failing",
};

/** What a program does that somebody has to type for. */
export const INPUT_WORDS: Readonly<Record<InputNeeded["kind"], string>> = {
  secret: "asks for a secret",
  line: "waits for a line",
  key: "waits for a key",
  continuation: "waits for the rest of a command line",
};

/** What is wrong with the disk of the recordings; nothing while all is well. */
export function describeStorage({ state }: Pick<StorageInfo, "state">): Described | undefined {
  switch (state) {
    case "ok":
      return undefined;
    case "low":
      return { words: "The disk of the recordings runs low", tone: "warn" };
    case "full":
      return {
        words:
          "The disk is full: nothing is recorded, and programs show nothing new until there is room",
        tone: "bad",
      };
    case "failing":
      return {
        words: "Recordings cannot be written: programs show nothing new until they can",
        tone: "bad",
      };
  }
}
