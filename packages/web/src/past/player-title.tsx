import type { TerminalId, TerminalStorage } from "@nacre/contracts";
import { useEffect, useState } from "preact/hooks";
import type { Live } from "../app/live.ts";
import { linkTo } from "../app/place.ts";
import { Icon } from "../parts/icon.tsx";
import { attempt } from "../parts/toast.tsx";
import { readFacts } from "./read-facts.ts";
import { lineOf, type RecordingFacts, type RecordingLine } from "./recording-line.ts";
import { StateBadge } from "./state-badge.tsx";
import { linkToTerminal } from "./terminal-link.ts";

interface PlayerTitleProps {
  readonly live: Live;
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
      {line !== undefined && <StateBadge line={line} />}
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

function useLine(live: Live, id: TerminalId): RecordingLine | undefined {
  const [row, setRow] = useState<TerminalStorage | undefined>(undefined);
  const [facts, setFacts] = useState<RecordingFacts | undefined>(undefined);
  const summary = live.terminals.value?.find((one) => one.id === id);
  useEffect(() => attempt(live.client.readTerminal({ id }).then(setRow)), [live, id]);
  useEffect(() => attempt(readFacts(live.client, id).then(setFacts)), [live, id, summary?.state]);
  return row === undefined ? undefined : lineOf(row, summary, facts);
}
