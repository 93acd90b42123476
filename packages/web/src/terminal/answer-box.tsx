import type { InputNeeded, InputRequest, TerminalId } from "@nacre/contracts";
import { useRef } from "preact/hooks";
import type { Live } from "../app/live.ts";
import { Button } from "../parts/button.tsx";
import { attempt } from "../parts/toast.tsx";

interface AnswerBoxProps {
  readonly live: Live;
  readonly terminalId: TerminalId;
  readonly kind: InputNeeded["kind"];
  /** Who asks, where somebody does; the answer is then for them too. */
  readonly request?: InputRequest;
}

const PLACEHOLDERS = {
  secret: "Neither shown nor kept",
  line: "A line to type",
  key: "A key to press",
  continuation: "The rest of the line",
} as const;

/** Answers a program that waits; what is typed here is in the field until it is sent, and nowhere else. */
export function AnswerBox({ live, terminalId: id, kind, request }: AnswerBoxProps) {
  const field = useRef<HTMLInputElement>(null);
  if (live.isReader.value) return null;
  const send = (event: Event): void => {
    event.preventDefault();
    const input = field.current;
    if (!input) return;
    const text = input.value;
    input.value = "";
    const data = text + (kind === "key" && text !== "" ? "" : "\r");
    attempt(
      request
        ? live.client.answerInput({ id, requestId: request.requestId, text })
        : live.client.sendInput({ id, data }),
    );
  };
  const shared = {
    ref: field,
    class: "input mono",
    autocapitalize: "none",
    spellcheck: false,
    placeholder: PLACEHOLDERS[kind],
  } as const;
  return (
    <form class="answer-box" onSubmit={send} autocomplete="off">
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
      {request && (
        <Button
          small
          onClick={() => attempt(live.client.answerInput({ id, requestId: request.requestId }))}
        >
          Decline
        </Button>
      )}
    </form>
  );
}
