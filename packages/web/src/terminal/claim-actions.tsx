import type { TerminalSummary } from "@nacre/contracts";
import { useState } from "preact/hooks";
import type { LiveState } from "../app/live.ts";
import { Button } from "../parts/button.tsx";
import { showFailures } from "../parts/toast.tsx";
import { HandOverDialog } from "./hand-over-dialog.tsx";

interface ClaimActionsProps {
  readonly live: LiveState;
  readonly terminal: TerminalSummary;
  /** The screen gets the keys of whoever just took it. */
  readonly focusScreen: () => void;
}

/** Take over, give back, hand over. */
export function ClaimActions({ live, terminal, focusScreen }: ClaimActionsProps) {
  const [isHandingOver, setHandingOver] = useState(false);
  const { id, claim } = terminal;
  const takeOver = async (): Promise<void> => {
    focusScreen();
    await live.client.moveClaim({ id, epoch: claim.epoch });
    await live.reread();
  };
  if (!live.isMine(claim.claim)) {
    return (
      <Button small look="primary" symbol="hand" onClick={() => showFailures(takeOver())}>
        Take over
      </Button>
    );
  }
  const giveBack = async (): Promise<void> => {
    await live.client.handBackClaim({ id });
    await live.reread();
  };
  return (
    <>
      {/* Of the first claim there is nobody to give it back to. */}
      {claim.epoch > 1 && (
        <Button small symbol="back" onClick={() => showFailures(giveBack())}>
          Give back
        </Button>
      )}
      <Button small symbol="give" onClick={() => setHandingOver(true)}>
        Hand over
      </Button>
      <HandOverDialog
        live={live}
        terminal={terminal}
        isOpen={isHandingOver}
        close={() => setHandingOver(false)}
      />
    </>
  );
}
