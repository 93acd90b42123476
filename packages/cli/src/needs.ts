import type { QuickCall } from "@nacre/client/quick";
import type {
  ControlRequest,
  InputNeeded,
  InputRequest,
  TerminalId,
  TerminalSummary,
} from "@nacre/contracts";
import { hasFailed } from "./describe.ts";

interface NeedFields {
  readonly id: TerminalId;
  readonly title: string;
  readonly since: string;
}

/** Why a terminal needs a person, and since when. */
export type Need = NeedFields &
  (
    | { readonly kind: "question"; readonly request: InputRequest }
    | { readonly kind: "control"; readonly request: ControlRequest }
    | { readonly kind: "input"; readonly input: InputNeeded }
    | { readonly kind: "failed"; readonly commandLine: string; readonly ending: string }
  );

/** Everything that waits for a person, the oldest first. */
export async function allNeeds(call: QuickCall): Promise<readonly Need[]> {
  const { terminals } = await call("listTerminals", { state: "active", limit: 1000 });
  return terminals
    .flatMap(needsOf)
    .toSorted((one, other) => Date.parse(one.since) - Date.parse(other.since));
}

/** What one terminal needs; that its program waits is not said again where somebody asks for what it waits for. */
function needsOf(terminal: TerminalSummary): readonly Need[] {
  const { id, title, inputNeeded: input } = terminal;
  const { inputRequests = [], controlRequests = [] } = terminal;
  const of = { id, title };
  const failure = failureOf(terminal);
  return [
    ...inputRequests.map(
      (request) => ({ ...of, kind: "question", since: request.askedAt, request }) as const,
    ),
    ...controlRequests.map(
      (request) => ({ ...of, kind: "control", since: request.askedAt, request }) as const,
    ),
    ...(input && inputRequests.length === 0
      ? [{ ...of, kind: "input", since: input.since, input } as const]
      : []),
    ...(failure ? [{ ...of, kind: "failed", ...failure } as const] : []),
  ];
}

/** The last command, where it failed and nothing runs since. */
function failureOf({ runningCommand, lastCommand }: TerminalSummary) {
  if (runningCommand || !lastCommand || !hasFailed(lastCommand)) return undefined;
  const { commandLine, startedAt, durationMs = 0, signal, exitCode } = lastCommand;
  return {
    since: new Date(Date.parse(startedAt) + durationMs).toISOString(),
    commandLine,
    ending: signal ?? `exit ${exitCode}`,
  };
}
