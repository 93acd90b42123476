import type { TerminalId, TerminalStorage } from "@nacre/contracts";
import { useEffect, useState } from "preact/hooks";
import type { LiveState } from "../app/live.ts";
import { linkTo } from "../app/place.ts";
import { Icon } from "../parts/icon.tsx";
import { showFailures } from "../parts/toast.tsx";
import { readFacts } from "./read-facts.ts";
import { lineOf, type RecordingFacts, type RecordingLine } from "./recording-line.ts";
import { RecordingStateBadge } from "./state-badge.tsx";
import { linkToTerminal } from "./terminal-link.ts";

interface PlayerTitleProps {
  readonly live: LiveState;
  readonly id: TerminalId;
}

/** What is played, and the ways away from it. */
export function PlayerTitle({ live, id }: PlayerTitleProps) {
  const line = useLine(live, id);
  return (
    <header class="player-head">
      <a class="icon-button" href={linkTo("/recordings")} aria-label="All recordings">
        <Icon name="back" />
      </a>
      <h1 class="clip" title={line?.title}>
        {line?.title ?? "Recording"}
      </h1>
      {line !== undefined && <RecordingStateBadge line={line} />}
      {line !== undefined && (
        <span class="clip quiet player-owner">
          {line.row.owner.entityName} {line.row.owner.entityId}
        </span>
      )}
      {line?.isRunning && (
        <a class="button plain small" href={linkToTerminal(id)}>
          <Icon name="terminal" />
          <span>Watch live</span>
        </a>
      )}
    </header>
  );
}

function useLine(live: LiveState, id: TerminalId): RecordingLine | undefined {
  const [row, setRow] = useState<TerminalStorage | undefined>(undefined);
  const [facts, setFacts] = useState<RecordingFacts | undefined>(undefined);
  const summary = live.terminals.value?.find((one) => one.id === id);
  useEffect(() => showFailures(live.client.readTerminal({ id }).then(setRow)), [live, id]);
  useEffect(
    () => showFailures(readFacts(live.client, id).then(setFacts)),
    [live, id, summary?.state],
  );
  return row === undefined ? undefined : lineOf(row, summary, facts);
}
