import type {
  Claim,
  ControlRequest,
  InputNeeded,
  InputRequest,
  LapsedInputRequest,
  RecordingBlocked,
  TerminalSummary,
} from "@nacre/contracts";
import { describeHolder } from "./holder.ts";
import {
  BLOCKED_WORDS,
  describeEnding,
  describeState,
  hasFailed,
  INPUT_WORDS,
  type Tone,
} from "./terminal-state.ts";

export type Need = { readonly terminal: TerminalSummary } & (
  | { readonly kind: "question"; readonly request: InputRequest }
  | { readonly kind: "lapsed"; readonly request: LapsedInputRequest }
  | { readonly kind: "control"; readonly request: ControlRequest }
  | { readonly kind: "input"; readonly input: InputNeeded }
  | { readonly kind: "blocked"; readonly blocked: RecordingBlocked }
  | {
      readonly kind: "failed";
      /** Empty: the terminal's program itself. */
      readonly commandLine: string;
      readonly ending: string;
      /** Where known. */
      readonly endedAt?: string;
    }
);

/** What of a terminal waits for a person, what is most urgent first. */
export function needsOf(terminal: TerminalSummary): readonly Need[] {
  const { inputRequests = [], lapsedRequests = [], controlRequests = [] } = terminal;
  const { inputNeeded, recordingBlocked } = terminal;
  const asked = [
    ...(recordingBlocked
      ? [{ kind: "blocked", terminal, blocked: recordingBlocked } as const]
      : []),
    ...inputRequests.map((request) => ({ kind: "question", terminal, request }) as const),
    ...controlRequests.map((request) => ({ kind: "control", terminal, request }) as const),
    ...lapsedRequests.map((request) => ({ kind: "lapsed", terminal, request }) as const),
  ];
  // A request to type says more than that the program waits.
  if (inputRequests.some(({ kind }) => kind === "type")) return asked;
  if (inputNeeded && isForPeople(terminal, inputNeeded)) {
    return [...asked, { kind: "input", terminal, input: inputNeeded }];
  }
  const failed = failureOf(terminal);
  return failed ? [...asked, failed] : asked;
}

/** Until a program reads, such an answer is refused. */
export const isAnswerRead = (
  { inputNeeded }: Pick<TerminalSummary, "inputNeeded">,
  { kind }: InputRequest,
): boolean =>
  kind === "answer" || (inputNeeded !== undefined && inputNeeded.kind !== "continuation");

/** A person who drives an editor or a REPL knows that it waits; an agent may wait for a person. */
export function isForPeople(
  { claim }: TerminalSummary,
  { kind, lineEditor }: InputNeeded,
): boolean {
  if (kind === "secret" || claim.claim.kind === "session") return true;
  return kind === "line" && lineEditor !== true;
}

function failureOf(terminal: TerminalSummary): Need | undefined {
  const { state, exitCode, signal, lastCommand, runningCommand } = terminal;
  const program = { kind: "failed", terminal, commandLine: "" } as const;
  if (state === "failed") return { ...program, ending: describeState({ state }).words };
  if (state === "exited") {
    // A shell exits with the code of its last command, which was reported; whoever sent a signal knows.
    if (signal !== undefined || lastCommand || !hasFailed({ exitCode })) return undefined;
    return { ...program, ending: describeEnding({ exitCode }).words };
  }
  if (!lastCommand || runningCommand || !hasFailed(lastCommand)) return undefined;
  const { commandLine, startedAt, durationMs = 0 } = lastCommand;
  const endedAt = new Date(Date.parse(startedAt) + durationMs).toISOString();
  return { ...program, commandLine, ending: describeEnding(lastCommand).words, endedAt };
}

/** What somebody waits for, as a sentence in parts. */
export interface NeedWords {
  readonly tone: Tone;
  /** Who asks, or the command line that failed; the terminal itself where absent. */
  readonly who?: string;
  readonly words: string;
  /** What was asked or said, in their own words. */
  readonly quote?: string;
  readonly note?: string;
  readonly since: string;
}

/** What waits for a person, in words; `isMine` tells whether a claim is of whoever reads them. */
export function describeNeed(need: Need, isMine?: (claim: Claim) => boolean): NeedWords {
  switch (need.kind) {
    case "question": {
      const { by: who, prompt: quote, secret, kind, askedAt: since } = need.request;
      const what = secret ? " for a secret" : kind === "type" ? " to type" : "";
      return { tone: "warn", who, words: `asks you${what}`, quote, since };
    }
    case "lapsed": {
      const { by: who, prompt: quote, reason, askedAt: since } = need.request;
      const why = reason === "closed" ? "its program ended" : "nobody answered in time";
      const note = `lapsed: ${why}`;
      return { tone: "info", who, words: "asked you", quote, note, since };
    }
    case "control": {
      const { claim, note, askedAt: since } = need.request;
      const quote = note === undefined ? {} : { quote: note };
      const who = describeHolder(claim, isMine).name;
      return { tone: "info", who, words: "asks for control", since, ...quote };
    }
    case "input":
      return { tone: "warn", words: INPUT_WORDS[need.input.kind], since: need.input.since };
    case "blocked": {
      const words = `cannot be recorded: ${BLOCKED_WORDS[need.blocked.reason]}`;
      return { tone: "bad", words, since: need.blocked.since };
    }
    case "failed": {
      const { commandLine, ending, endedAt, terminal } = need;
      const who = commandLine === "" ? {} : { who: commandLine };
      return {
        tone: "bad",
        words: `failed: ${ending}`,
        since: endedAt ?? terminal.createdAt,
        ...who,
      };
    }
  }
}
