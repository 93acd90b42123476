import { describeHolder } from "@nacre/client/ui";
import type {
  Claim,
  ControlRequest,
  InputNeeded,
  InputRequest,
  TerminalId,
} from "@nacre/contracts";
import { useRef, useState } from "preact/hooks";
import { Button } from "../parts/button.tsx";
import { showFailures } from "../parts/toast.tsx";
import type { LiveState } from "../state/live-state.ts";

interface AnswerBoxProps {
  readonly live: LiveState;
  readonly terminalId: TerminalId;
  /** A shell would execute an answer at a `continuation`. */
  readonly kind: Exclude<InputNeeded["kind"], "continuation">;
  /** Present when somebody asks; the answer goes to them, too. */
  readonly request?: InputRequest;
  /** A program would read what is typed. */
  readonly isRead?: boolean;
}

const PLACEHOLDERS = {
  secret: "Neither shown nor kept",
  line: "A line to type",
  key: "A key to press",
} as const;

/** What happens with the answer, shown before it is given. */
const fateOf = ({ kind, by, secret }: InputRequest, isRead: boolean): string => {
  if (kind === "answer") return `This goes back to ${by}`;
  if (!isRead) return "No program reads this yet: answer once one does";
  return secret ? "This is typed into the program, unseen" : "This is typed into the program";
};

/** The answer stays in the field until it is sent, and nowhere else. */
export function AnswerBox({ live, terminalId: id, kind, request, isRead = true }: AnswerBoxProps) {
  const field = useRef<HTMLInputElement>(null);
  if (live.isReader.value) return null;
  const send = (event: Event): void => {
    event.preventDefault();
    const input = field.current;
    if (!input) return;
    const text = input.value;
    input.value = "";
    const data = text + (kind === "key" && text !== "" ? "" : "\r");
    if (request) answer(text);
    // What no program reads any more must not be executed by the shell.
    else showFailures(live.client.sendInput({ id, data, expects: kind }));
  };
  const answer = (text?: string): void => {
    if (!request) return;
    const { requestId } = request;
    showFailures(
      live.client.answerInput({ id, requestId, ...(text === undefined ? {} : { text }) }),
    );
  };
  const decline = request && (
    <Button small onClick={() => answer()}>
      Decline
    </Button>
  );
  if (request?.choices) {
    return (
      <div class="answer-box">
        <small class="fate">{fateOf(request, isRead)}</small>
        {request.choices.map(({ value, label }) => (
          <Button key={value} small look="primary" onClick={() => answer(value)}>
            {label ?? value}
          </Button>
        ))}
        {decline}
      </div>
    );
  }
  const shared = {
    ref: field,
    class: "input mono",
    autocapitalize: "none",
    spellcheck: false,
    placeholder: request?.kind === "answer" ? "Your answer" : PLACEHOLDERS[kind],
  } as const;
  return (
    <form class="answer-box" onSubmit={send} autocomplete="off">
      {request && <small class="fate">{fateOf(request, isRead)}</small>}
      {kind === "secret" ? (
        <input
          {...shared}
          type="password"
          autocomplete="one-time-code"
          aria-label="Secret answer"
        />
      ) : (
        <input {...shared} type="text" autocomplete="off" aria-label="Answer" />
      )}
      <Button look="primary" type="submit" small>
        Send
      </Button>
      {decline}
    </form>
  );
}

export function ClaimChip({ claim, live }: { readonly claim: Claim; readonly live: LiveState }) {
  const { kind, name, details } = describeHolder(claim, live.isMine);
  return (
    <span class="holder" data-kind={kind} title={details}>
      {kind === "agent" && <span class="holder-kind">Agent</span>}
      {kind === "you" || kind === "host" ? (
        <span class="holder-kind">{name}</span>
      ) : (
        <span class="holder-name clip">{name}</span>
      )}
    </span>
  );
}

interface ControlAnswersProps {
  readonly live: LiveState;
  readonly terminalId: TerminalId;
  readonly request: ControlRequest;
}

export function ControlAnswers({ live, terminalId, request }: ControlAnswersProps) {
  const [isAnswered, setAnswered] = useState(false);
  if (live.isReader.value) return null;
  const answer = (grant: boolean): void => {
    const { requestId } = request;
    setAnswered(true);
    showFailures(live.client.answerControl({ id: terminalId, requestId, grant }));
  };
  return (
    <div class="actions">
      <Button small look="primary" disabled={isAnswered} onClick={() => answer(true)}>
        Hand over
      </Button>
      <Button small disabled={isAnswered} onClick={() => answer(false)}>
        Decline
      </Button>
    </div>
  );
}
