import type { TerminalSummary } from "@nacre/contracts";
import type { LiveState } from "../app/live.ts";
import { go } from "../app/place.ts";
import { Badge } from "../parts/badge.tsx";
import { Icon } from "../parts/icon.tsx";
import { TerminalStateBadge } from "../terminals/state-badge.tsx";
import { TerminalMenu } from "../terminals/terminal-menu.tsx";
import { ClaimActions } from "./claim-actions.tsx";
import { ClaimChip } from "./claim-chip.tsx";
import type { ScreenState } from "./opened.ts";

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

/** What a terminal is, who drives it, who watches, and what can be done. */
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
        <h1 class="clip" title={terminal.title}>
          {terminal.title}
        </h1>
        {terminal.cwd !== undefined && (
          <code class="quiet clip" title={terminal.cwd}>
            {terminal.cwd}
          </code>
        )}
      </div>
      <div class="terminal-facts">
        <TerminalStateBadge terminal={terminal} />
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
