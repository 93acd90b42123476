import type {
  ControlRequest,
  InputNeeded,
  InputRequest,
  LapsedInputRequest,
  RecordingBlocked,
  TerminalSummary,
} from "@nacre/contracts";

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

interface Ending {
  readonly exitCode?: number | null | undefined;
  readonly signal?: string | undefined;
}

/** 128 + SIGINT; the person who pressed Ctrl-C knows. */
const INTERRUPTED = 130;

/** Most urgent first. */
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

/** Interruptions do not count. */
export function hasFailed({ exitCode, signal }: Ending): boolean {
  if (signal !== undefined) return signal !== "SIGINT";
  return (exitCode ?? 0) !== 0 && exitCode !== INTERRUPTED;
}

function failureOf(terminal: TerminalSummary): Need | undefined {
  const { state, exitCode, signal, lastCommand, runningCommand } = terminal;
  const program = { kind: "failed", terminal, commandLine: "" } as const;
  if (state === "failed") return { ...program, ending: "did not start" };
  if (state === "exited") {
    // A shell exits with the code of its last command, which was reported; whoever sent a signal knows.
    if (signal !== undefined || lastCommand || !hasFailed({ exitCode })) return undefined;
    return { ...program, ending: `exit ${exitCode}` };
  }
  if (!lastCommand || runningCommand || !hasFailed(lastCommand)) return undefined;
  const { exitCode: code, signal: by, commandLine, startedAt, durationMs = 0 } = lastCommand;
  const endedAt = new Date(Date.parse(startedAt) + durationMs).toISOString();
  return { ...program, commandLine, ending: by ?? `exit ${code}`, endedAt };
}
