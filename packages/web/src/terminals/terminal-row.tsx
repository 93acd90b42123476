import type { TerminalSummary } from "@nacre/contracts";
import type { LiveState } from "../app/live.ts";
import { linkTo } from "../app/place.ts";
import { Age, Duration } from "../parts/time.tsx";
import { ClaimChip } from "../terminal/claim-chip.tsx";
import { ownerText } from "./filters.tsx";
import { TerminalStateBadge } from "./state-badge.tsx";
import { TerminalMenu } from "./terminal-menu.tsx";
import { terminalPath } from "./terminal-path.ts";

interface TerminalRowProps {
  readonly live: LiveState;
  readonly terminal: TerminalSummary;
}

/** One terminal on the list. */
export function TerminalRow({ live, terminal }: TerminalRowProps) {
  const { id, title, cwd, claim, createdAt, state } = terminal;
  const isOver = state !== "active" && state !== "creating" && state !== "killing";
  return (
    <tr class="terminal-row" data-over={isOver || undefined}>
      <td class="cell-title">
        <a class="row-link clip" href={linkTo(terminalPath(id))} title={title}>
          {title}
        </a>
        {cwd !== undefined && (
          <code class="quiet clip" title={cwd}>
            {cwd}
          </code>
        )}
      </td>
      <td class="cell-state">
        <TerminalStateBadge terminal={terminal} />
      </td>
      <td class="cell-running">
        <Running terminal={terminal} />
      </td>
      <td class="cell-claim">{!isOver && <ClaimChip claim={claim.claim} live={live} />}</td>
      <td class="cell-owner clip quiet" title={ownerText(terminal)}>
        {ownerText(terminal)}
      </td>
      <td class="cell-age quiet">
        <Age at={createdAt} />
      </td>
      <td class="cell-menu">
        <TerminalMenu live={live} terminal={terminal} />
      </td>
    </tr>
  );
}

function Running({ terminal }: { readonly terminal: TerminalSummary }) {
  const { runningCommand } = terminal;
  if (!runningCommand) return null;
  const { commandLine, startedAt } = runningCommand;
  return (
    <span class="running">
      <code class="clip" title={commandLine}>
        {commandLine}
      </code>
      <span class="quiet">
        <Duration since={startedAt} />
      </span>
    </span>
  );
}
