import type { ControlRequest, TerminalId } from "@nacre/contracts";
import { useState } from "preact/hooks";
import type { LiveState } from "../app/live.ts";
import { Button } from "../parts/button.tsx";
import { showFailures } from "../parts/toast.tsx";

interface ControlAnswersProps {
  readonly live: LiveState;
  readonly terminalId: TerminalId;
  readonly request: ControlRequest;
}

/** The two answers to who asks for control. */
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
