import type { SearchHit, TerminalId } from "@nacre/contracts";
import { useEffect, useState } from "preact/hooks";
import type { LiveState } from "../app/live.ts";
import { linkTo } from "../app/place.ts";
import { Badge } from "../parts/badge.tsx";
import { Age } from "../parts/time.tsx";
import { highlightMatches } from "./excerpt.ts";
import { shortLabel } from "./outline.ts";
import { readFacts } from "./read-facts.ts";
import { groupHits, type HitGroup } from "./search-state.ts";
import { linkToMoment, playerPath } from "./terminal-link.ts";

interface HitListProps {
  readonly live: LiveState;
  readonly hits: readonly SearchHit[];
  /** Whether a newer answer is awaited. */
  readonly isStale: boolean;
}

/** What was found, terminal by terminal. */
export function HitList({ live, hits, isStale }: HitListProps) {
  return (
    <ol class="hit-groups" aria-busy={isStale}>
      {groupHits(hits).map((group) => (
        <li key={group.terminalId}>
          <Group live={live} group={group} />
        </li>
      ))}
    </ol>
  );
}

function Group({ live, group }: { readonly live: LiveState; readonly group: HitGroup }) {
  const { terminalId, hits } = group;
  const title = useTitle(live, terminalId);
  const isRunning = live.find(terminalId)?.state === "active";
  return (
    <section class="hit-group" aria-label={title}>
      <header>
        <h2 class="clip">
          <a href={linkToMoment(terminalId)}>{title}</a>
        </h2>
        {isRunning && <Badge tone="info">running</Badge>}
        <span class="quiet">
          {hits.length} {hits.length === 1 ? "result" : "results"}
        </span>
      </header>
      <ol>
        {hits.map((hit) => (
          <li key={`${hit.entryId} ${hit.line}`}>
            <Hit hit={hit} />
          </li>
        ))}
      </ol>
    </section>
  );
}

/** One place; everything a program wrote is text here. */
function Hit({ hit }: { readonly hit: SearchHit }) {
  const { terminalId, sequence, type, occurredAt, line, matches, command } = hit;
  // Only output has lines before and behind that belong to it.
  const { linesBefore = [], linesAfter = [] } = type === "output" ? hit : {};
  const [first] = matches;
  const found = first === undefined ? {} : { find: line.slice(first.start, first.end) };
  return (
    <a
      class="hit"
      data-list-item
      href={linkTo(playerPath(terminalId), { at: String(sequence), ...found })}
    >
      <span class="hit-lines mono">
        {linesBefore.map((text, at) => (
          <span key={`before ${at}`} class="clip quiet">
            {text}
          </span>
        ))}
        <span class="hit-line">
          {highlightMatches(line, matches).map(({ text, isMatch }, at) =>
            isMatch ? <mark key={at}>{text}</mark> : <span key={at}>{text}</span>,
          )}
        </span>
        {linesAfter.map((text, at) => (
          <span key={`after ${at}`} class="clip quiet">
            {text}
          </span>
        ))}
      </span>
      <span class="hit-facts quiet">
        {type !== "output" && <Badge>{type}</Badge>}
        {type === "output" && command !== undefined && (
          <>
            <span class="clip mono" title={command.cwd}>
              {shortLabel(command.commandLine)}
            </span>
            {command.exitCode !== undefined && (
              <Badge tone={command.exitCode === 0 ? "good" : "bad"}>exit {command.exitCode}</Badge>
            )}
          </>
        )}
        <Age at={occurredAt} />
      </span>
    </a>
  );
}

/** The title of a terminal, or what stands for it until it is known. */
function useTitle(live: LiveState, id: TerminalId): string {
  const [title, setTitle] = useState<string | undefined>(undefined);
  const listed = live.terminals.value?.find((one) => one.id === id)?.title;
  useEffect(() => {
    if (listed !== undefined) return;
    readFacts(live.client, id)
      .then((facts) => setTitle(facts.title))
      // Deleted meanwhile; its id is all that is left.
      .catch(() => setTitle(undefined));
  }, [live, id, listed]);
  return listed || title || id;
}
