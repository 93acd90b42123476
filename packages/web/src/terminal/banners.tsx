import { isAnswerRead, isForPeople } from "@nacre/client";
import type { TerminalSummary } from "@nacre/contracts";
import type { LiveState } from "../app/live.ts";
import { Icon } from "../parts/icon.tsx";
import { AnswerBox } from "./answer-box.tsx";
import { ControlAnswers } from "./control-answers.tsx";
import { readHolder } from "./holder.ts";

const QUESTIONS = {
  secret: "The program asks for a secret.",
  line: "The program waits for a line.",
  key: "The program waits for a key.",
  continuation: "The shell waits for the rest of a command line; Ctrl-C cancels it.",
} as const;

/** What of this terminal waits for a person, with the way to answer. */
export function Banners({
  live,
  terminal,
}: {
  readonly live: LiveState;
  readonly terminal: TerminalSummary;
}) {
  const { id, inputNeeded, inputRequests = [], controlRequests = [], claim } = terminal;
  // Whoever drives types on the screen; a secret is safer in a field that hides it.
  const isAsked =
    inputNeeded !== undefined &&
    !inputRequests.some(({ kind }) => kind === "type") &&
    isForPeople(terminal, inputNeeded) &&
    (inputNeeded.kind === "secret" || !live.isMine(claim.claim));
  return (
    <div class="banners" aria-live="polite">
      {terminal.recordingBlocked && (
        <div class="banner" data-tone="bad">
          <Icon name="warn" />
          <p>
            This terminal waits for the disk: what you see is from before. Keys still reach its
            program.
          </p>
        </div>
      )}
      {inputRequests.map((request) => (
        <div class="banner" data-tone="warn" key={request.requestId}>
          <Icon name={request.secret ? "key" : "pen"} />
          <p>
            <strong>{request.by}</strong> asks you
            <q>{request.prompt}</q>
          </p>
          <AnswerBox
            live={live}
            terminalId={id}
            kind={request.secret ? "secret" : "line"}
            request={request}
            isRead={isAnswerRead(terminal, request)}
          />
        </div>
      ))}
      {controlRequests.map((request) => (
        <div class="banner" data-tone="info" key={request.requestId}>
          <Icon name="hand" />
          <p>
            <strong class="clip">{readHolder(request.claim, live).name}</strong> asks for control
            {request.note !== undefined && <q>{request.note}</q>}
          </p>
          <ControlAnswers live={live} terminalId={id} request={request} />
        </div>
      ))}
      {isAsked && (
        <div class="banner" data-tone="warn">
          <Icon name={inputNeeded.kind === "secret" ? "key" : "pen"} />
          <p>{QUESTIONS[inputNeeded.kind]}</p>
          {inputNeeded.kind !== "continuation" && (
            <AnswerBox live={live} terminalId={id} kind={inputNeeded.kind} />
          )}
        </div>
      )}
    </div>
  );
}
