import type { Claim, TerminalSummary } from "@nacre/contracts";
import { useEffect, useRef, useState } from "preact/hooks";
import type { LiveState } from "../app/live.ts";
import { Button } from "../parts/button.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { showFailures } from "../parts/toast.tsx";
import { readHolder } from "./holder.ts";

interface HandOverDialogProps {
  readonly live: LiveState;
  readonly terminal: TerminalSummary;
  readonly isOpen: boolean;
  readonly close: () => void;
}

/** Whom a terminal goes to, and what is said along with it. */
export function HandOverDialog({ live, terminal, isOpen, close }: HandOverDialogProps) {
  return (
    <Dialog isOpen={isOpen} title="Hand over" close={close}>
      <HandOverForm live={live} terminal={terminal} close={close} />
    </Dialog>
  );
}

function HandOverForm({ live, terminal, close }: Omit<HandOverDialogProps, "isOpen">) {
  const earlier = useEarlierHolders(live, terminal);
  const note = useRef<HTMLTextAreaElement>(null);
  const session = useRef<HTMLInputElement>(null);
  const [chosen, setChosen] = useState("back");
  const send = async (): Promise<void> => {
    const { id } = terminal;
    const words = note.current?.value.trim() ?? "";
    const said = words === "" ? {} : { note: words };
    if (chosen === "back") await live.client.handBackClaim({ id, ...said });
    else {
      const address = session.current?.value.trim() ?? "";
      const claim = earlier[Number(chosen)] ?? ({ kind: "session", session: address } as const);
      await live.client.moveClaim({ id, claim, ...said });
    }
    close();
    await live.reread();
  };
  const option = (value: string, words: string, details = "") => (
    <label class="choice" key={value}>
      <input
        type="radio"
        name="to"
        value={value}
        checked={chosen === value}
        onChange={() => setChosen(value)}
      />
      <span>{words}</span>
      <span class="quiet clip">{details}</span>
    </label>
  );
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault();
        showFailures(send());
      }}
    >
      <fieldset class="choices">
        <legend class="quiet">To</legend>
        {option("back", "Give back", "to whom it was taken from")}
        {earlier.map((claim, at) => {
          const { kind, name } = readHolder(claim, live);
          return option(String(at), kind === "agent" ? "Agent" : "Person", name);
        })}
        {option("other", "Another agent's session")}
      </fieldset>
      {chosen === "other" && (
        <label class="field">
          <span>Address of the session</span>
          <input ref={session} class="input mono" required />
        </label>
      )}
      <label class="field">
        <span>Note, for whoever goes on</span>
        <textarea ref={note} class="input note" rows={3} maxLength={1024} />
      </label>
      <div class="dialog-actions">
        <Button onClick={close}>Cancel</Button>
        <Button look="primary" type="submit">
          {chosen === "back" ? "Give back" : "Hand over"}
        </Button>
      </div>
    </form>
  );
}

/** Who held the terminal before, newest first. */
function useEarlierHolders(live: LiveState, { id }: TerminalSummary): readonly Claim[] {
  const [earlier, setEarlier] = useState<readonly Claim[]>([]);
  useEffect(() => {
    const read = async (): Promise<void> => {
      const found = await live.client.findRecordingEntries({ terminalId: id, types: ["claim"] });
      const claims = found.entries.flatMap((entry) =>
        entry.type === "claim" ? [entry.claim] : [],
      );
      const others = claims.filter((claim) => !live.isMine(claim)).toReversed();
      const byName = new Map(others.map((claim) => [readHolder(claim, live).details, claim]));
      setEarlier([...byName.values()]);
    };
    showFailures(read());
  }, [live, id]);
  return earlier;
}
