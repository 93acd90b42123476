import { useEffect, useMemo, useRef } from "preact/hooks";
import { go } from "../app/place.ts";
import type { ViewProps } from "../app/view.ts";
import { Button } from "../parts/button.tsx";
import { EmptyState } from "../parts/empty-state.tsx";
import { showFailures, describeError } from "../parts/toast.tsx";
import { Found } from "./found.ts";
import { HitList } from "./hit-list.tsx";
import { useListKeys } from "./list-keys.ts";
import { SearchForm } from "./search-form.tsx";
import { NO_SEARCH, readSearch, type SearchState, writeSearch } from "./search-state.ts";

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
