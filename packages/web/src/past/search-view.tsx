import type { NacreClient } from "@nacre/client";
import { describeEnding, RUNNING, shortLabel } from "@nacre/client/ui";
import type { SearchHit, TerminalId } from "@nacre/contracts";
import { signal } from "@preact/signals";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { Badge, FactBadge } from "../parts/badge.tsx";
import { Button } from "../parts/button.tsx";
import { EmptyState } from "../parts/empty-state.tsx";
import { Icon } from "../parts/icon.tsx";
import { Age } from "../parts/time.tsx";
import { describeError, showFailures } from "../parts/toast.tsx";
import { linkTo, playerPath } from "../state/links.ts";
import { go } from "../state/place.ts";
import type { LiveState } from "../state/live-state.ts";
import type { ViewProps } from "../state/view.ts";
import { highlightMatches } from "./excerpt.ts";
import { linkToMoment } from "./moment.ts";
import { readFacts } from "./recording-line.ts";
import {
  buildQuery,
  groupHits,
  type HitGroup,
  NO_SEARCH,
  readSearch,
  type SearchState,
  useListKeys,
  writeSearch,
} from "./search-state.ts";
import { SinceField } from "./since-field.tsx";

interface SearchFormProps {
  readonly state: SearchState;
  readonly refusal: { readonly field: keyof SearchState; readonly problem: string } | undefined;
  readonly change: (changes: Partial<SearchState>) => void;
}

const MODES = [
  ["words", "All words"],
  ["substring", "Exact text"],
  ["regex", "Regular expression"],
] as const;

/** What to look for, and where. */
function SearchForm({ state, refusal, change }: SearchFormProps) {
  const { text, mode, exit, cwd, since, owner } = state;
  return (
    <form class="search-form" role="search" onSubmit={(event) => event.preventDefault()}>
      <div class="search-box">
        <Icon name="search" />
        <input
          class="input"
          type="search"
          data-filter
          autoFocus
          autocomplete="off"
          spellcheck={false}
          maxLength={256}
          placeholder="Search everything that was recorded"
          aria-label="Search"
          value={text}
          onInput={({ currentTarget }) => change({ text: currentTarget.value })}
        />
      </div>
      <div class="filters">
        <select
          class="input"
          aria-label="How the text is understood"
          value={mode}
          onChange={({ currentTarget }) => {
            const chosen = MODES.find(([name]) => name === currentTarget.value);
            if (chosen) change({ mode: chosen[0] });
          }}
        >
          {MODES.map(([name, label]) => (
            <option key={name} value={name}>
              {label}
            </option>
          ))}
        </select>
        <ExitField exit={exit} change={(value) => change({ exit: value })} />
        <SinceField value={since} change={(value) => change({ since: value })} />
        <input
          class="input mono"
          placeholder="Directory"
          aria-label="Directory of the command"
          aria-invalid={refusal?.field === "cwd"}
          value={cwd}
          onInput={({ currentTarget }) => change({ cwd: currentTarget.value })}
        />
        <input
          class="input"
          placeholder="Owner"
          aria-label="Owner, such as Task or Task/7"
          title="A kind of owner such as Task, or one owner such as Task/7"
          value={owner}
          onInput={({ currentTarget }) => change({ owner: currentTarget.value })}
        />
      </div>
      {refusal !== undefined && (
        <p class="form-problem" role="alert">
          {refusal.problem}
        </p>
      )}
    </form>
  );
}

interface ExitFieldProps {
  readonly exit: string;
  readonly change: (value: string) => void;
}

/** How the command ended; a link may also ask for one exit code. */
function ExitField({ exit, change }: ExitFieldProps) {
  const isCode = /^-?\d/.test(exit);
  return (
    <select
      class="input"
      aria-label="How the command ended"
      value={exit}
      onChange={({ currentTarget }) => change(currentTarget.value)}
    >
      <option value="">Any exit</option>
      <option value="success">Succeeded</option>
      <option value="failure">Failed</option>
      <option value="unknown">Unknown</option>
      {isCode && <option value={exit}>Exit {exit}</option>}
    </select>
  );
}

/** A page of hits is a few screens of reading. */
const PAGE_HITS = 50;

/** A line before and behind says mostly what it was about. */
const CONTEXT_LINES = 1;

/** What was seen, and what was run; what was typed is seen as well, so it would be found twice. */
const TYPES = ["output", "command", "title", "marker"] as const;

/** What a search found so far, for one search after another: an answer that comes too late does not count. */
class Found implements Disposable {
  /** Undefined until the first answer is there. */
  readonly hits = signal<readonly SearchHit[] | undefined>(undefined);
  readonly isSearching = signal(false);
  readonly problem = signal<unknown>(undefined);
  /** What is wrong with what was asked for. */
  readonly refusal = signal<
    { readonly field: keyof SearchState; readonly problem: string } | undefined
  >(undefined);
  /** Whether there is more. */
  readonly hasMore = signal(false);
  readonly #client: NacreClient;
  #running: AbortController | undefined;
  #after: string | undefined;

  constructor(client: NacreClient) {
    this.#client = client;
  }

  /** Looks for something else. */
  async search(state: SearchState): Promise<void> {
    this.#running?.abort();
    this.#after = undefined;
    this.hasMore.value = false;
    if (state.text.trim() === "") {
      this.hits.value = undefined;
      this.refusal.value = undefined;
      this.isSearching.value = false;
      return;
    }
    await this.#read(state, []);
  }

  /** Reads the next page of the same search. */
  async more(state: SearchState): Promise<void> {
    if (this.#after !== undefined) await this.#read(state, this.hits.peek() ?? []);
  }

  [Symbol.dispose](): void {
    this.#running?.abort();
  }

  async #read(state: SearchState, before: readonly SearchHit[]): Promise<void> {
    const query = buildQuery(state, Date.now());
    this.refusal.value = "problem" in query ? query : undefined;
    this.problem.value = undefined;
    if ("problem" in query) return;
    const running = new AbortController();
    this.#running = running;
    this.isSearching.value = true;
    try {
      const after = this.#after === undefined ? {} : { after: this.#after };
      const page = await this.#client.searchRecordings(
        { ...query, ...after, types: [...TYPES], limit: PAGE_HITS, context: CONTEXT_LINES },
        { signal: running.signal },
      );
      if (running.signal.aborted) return;
      this.hits.value = [...before, ...page.hits];
      this.#after = page.nextAfter;
      this.hasMore.value = page.truncated;
    } catch (error) {
      if (!running.signal.aborted) this.problem.value = error;
    } finally {
      if (this.#running === running) this.isSearching.value = false;
    }
  }
}

/** Somebody who types does not want an answer for every letter. */
const TYPING_MS = 200;

/** Looks for text in everything that was recorded. */
export function SearchView({ live, query }: ViewProps) {
  const state = readSearch(query);
  const found = useMemo(() => new Found(live.client), [live]);
  useEffect(() => () => found[Symbol.dispose](), [found]);
  useListKeys();
  const isFirst = useRef(true);
  const asked = JSON.stringify(state);
  useEffect(() => {
    const delay = isFirst.current ? 0 : TYPING_MS;
    isFirst.current = false;
    const timer = setTimeout(() => showFailures(found.search(state)), delay);
    return () => clearTimeout(timer);
  }, [found, asked]);
  const change = (changes: Partial<SearchState>): void =>
    go("/search", writeSearch({ ...state, ...changes }), { replace: true });
  const hits = found.hits.value;
  const isEmpty = hits?.length === 0 && !found.isSearching.value;
  return (
    <div class="view">
      <div class="view-head">
        <h1>Search</h1>
      </div>
      <SearchForm state={state} refusal={found.refusal.value} change={change} />
      {found.problem.value !== undefined && (
        <p class="form-problem" role="alert">
          {describeError(found.problem.value)}
        </p>
      )}
      <p class="visually-hidden" role="status">
        {found.isSearching.value ? "Searching" : saidCount(hits?.length, found.hasMore.value)}
      </p>
      {hits === undefined && !found.isSearching.value && found.problem.value === undefined && (
        <EmptyState title="Look for anything a terminal ever showed">
          Output, command lines and titles of terminals that run and that ended. A result opens the
          screen as it was at that moment.
        </EmptyState>
      )}
      {isEmpty && (
        <EmptyState
          title="Nothing found"
          action={
            <Button onClick={() => change({ ...NO_SEARCH, text: state.text })}>
              Without filters
            </Button>
          }
        >
          All words must be on one line. Try fewer of them, or look for a part of a word with “Exact
          text”.
        </EmptyState>
      )}
      {hits !== undefined && hits.length > 0 && (
        <HitList live={live} hits={hits} isStale={found.isSearching.value} />
      )}
      {found.hasMore.value && (
        <div class="more">
          <Button
            disabled={found.isSearching.value}
            onClick={() => showFailures(found.more(state))}
          >
            Older results
          </Button>
        </div>
      )}
    </div>
  );
}

function saidCount(count: number | undefined, hasMore: boolean): string {
  if (count === undefined) return "";
  return `${count}${hasMore ? " or more" : ""} results`;
}

interface HitListProps {
  readonly live: LiveState;
  readonly hits: readonly SearchHit[];
  /** Whether a newer answer is awaited. */
  readonly isStale: boolean;
}

/** What was found, terminal by terminal. */
function HitList({ live, hits, isStale }: HitListProps) {
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
  const title = shortLabel(useTitle(live, terminalId));
  const isRunning = live.find(terminalId)?.state === "active";
  return (
    <section class="hit-group" aria-label={title}>
      <header>
        <h2 class="clip">
          <a href={linkToMoment(terminalId)}>{title}</a>
        </h2>
        {isRunning && <FactBadge fact={RUNNING} />}
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
            {command.exitCode !== undefined && <FactBadge fact={describeEnding(command)} />}
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
