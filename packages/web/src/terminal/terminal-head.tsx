import { describeHolder, describeState, shortLabel } from "@nacre/client/ui";
import type { Claim, TerminalSummary } from "@nacre/contracts";
import { useEffect, useRef, useState } from "preact/hooks";
import { Badge, FactBadge } from "../parts/badge.tsx";
import { Button } from "../parts/button.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { Icon } from "../parts/icon.tsx";
import { showFailures } from "../parts/toast.tsx";
import type { LiveState } from "../state/live-state.ts";
import { go } from "../state/place.ts";
import { ClaimChip } from "../terminal-controls/answer-box.tsx";
import { TerminalMenu } from "../terminal-controls/terminal-menu.tsx";
import type { ScreenState } from "./terminal-session.ts";

const CONNECTION_WORDS = {
  connecting: "Connecting…",
  connected: "",
  lost: "Reconnecting…",
  ended: "",
  failed: "Not connected",
} as const;

interface TerminalHeadProps {
  readonly live: LiveState;
  readonly terminal: TerminalSummary;
  readonly screenState: ScreenState;
  readonly focusScreen: () => void;
  readonly openFind: () => void;
  readonly turnTimeline: () => void;
}

export function TerminalHead(props: TerminalHeadProps) {
  const { live, terminal, screenState, focusScreen, openFind, turnTimeline } = props;
  const isOver = terminal.state !== "active" && terminal.state !== "creating";
  const words = CONNECTION_WORDS[screenState];
  return (
    <div class="terminal-head">
      <button
        type="button"
        class="icon-button"
        aria-label="All terminals"
        title="All terminals"
        onClick={() => go("/")}
      >
        <Icon name="back" />
      </button>
      <div class="terminal-names">
        <h1 class="clip" title={shortLabel(terminal.title)}>
          {shortLabel(terminal.title)}
        </h1>
        {terminal.cwd !== undefined && (
          <code class="quiet clip" title={terminal.cwd}>
            {terminal.cwd}
          </code>
        )}
      </div>
      <div class="terminal-facts">
        <FactBadge fact={describeState(terminal)} />
        {words !== "" && <Badge tone="warn">{words}</Badge>}
        {!isOver && <ClaimChip claim={terminal.claim.claim} live={live} />}
        <span class="viewers quiet" title={`${terminal.viewers} watching`}>
          <Icon name="eye" />
          <span class="time">{terminal.viewers}</span>
          <span class="visually-hidden"> watching</span>
        </span>
      </div>
      <div class="terminal-actions">
        {!isOver && !live.isReader.value && (
          <ClaimActions live={live} terminal={terminal} focusScreen={focusScreen} />
        )}
        <button
          type="button"
          class="icon-button"
          title="Find on the screen (Ctrl Shift F)"
          aria-label="Find on the screen"
          onClick={openFind}
        >
          <Icon name="search" />
        </button>
        <button
          type="button"
          class="icon-button timeline-button"
          title="Commands"
          aria-label="Commands"
          onClick={turnTimeline}
        >
          <Icon name="list" />
        </button>
        <TerminalMenu live={live} terminal={terminal} />
      </div>
    </div>
  );
}

interface ClaimActionsProps {
  readonly live: LiveState;
  readonly terminal: TerminalSummary;
  /** Focuses the screen after taking over. */
  readonly focusScreen: () => void;
}

function ClaimActions({ live, terminal, focusScreen }: ClaimActionsProps) {
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

interface HandOverDialogProps {
  readonly live: LiveState;
  readonly terminal: TerminalSummary;
  readonly isOpen: boolean;
  readonly close: () => void;
}

function HandOverDialog({ live, terminal, isOpen, close }: HandOverDialogProps) {
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
          const { kind, name } = describeHolder(claim, live.isMine);
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

/** Newest first. */
function useEarlierHolders(live: LiveState, { id }: TerminalSummary): readonly Claim[] {
  const [earlier, setEarlier] = useState<readonly Claim[]>([]);
  useEffect(() => {
    const read = async (): Promise<void> => {
      const found = await live.client.findRecordingEntries({ terminalId: id, types: ["claim"] });
      const claims = found.entries.flatMap((entry) =>
        entry.type === "claim" ? [entry.claim] : [],
      );
      const others = claims.filter((claim) => !live.isMine(claim)).toReversed();
      const byName = new Map(
        others.map((claim) => [describeHolder(claim, live.isMine).details, claim]),
      );
      setEarlier([...byName.values()]);
    };
    showFailures(read());
  }, [live, id]);
  return earlier;
}
