// What somebody looks for, as the fields of the form and as the details of a link.
import type { ExitFilter, OwnerFilter, SearchHit, SearchMode, SearchQuery } from "@nacre/contracts";
import { useEffect } from "preact/hooks";
import { isTyping } from "../parts/is-typing.ts";

/** The fields of the search; each is a text, and empty when it does not count. */
export interface SearchState {
  readonly text: string;
  readonly mode: SearchMode;
  readonly exit: string;
  readonly cwd: string;
  readonly since: string;
  readonly owner: string;
}

/** Nothing is looked for yet. */
export const NO_SEARCH: SearchState = {
  text: "",
  mode: "words",
  exit: "",
  cwd: "",
  since: "",
  owner: "",
};

/** How long ago something may have happened, by the word in a link. */
export const SINCE_MS: Readonly<Record<string, number>> = {
  "1h": 3_600_000,
  "24h": 86_400_000,
  "7d": 7 * 86_400_000,
  "30d": 30 * 86_400_000,
};

const MODES: readonly SearchMode[] = ["words", "substring", "regex"];

/** The name of each field in a link. */
const KEYS = {
  text: "q",
  mode: "mode",
  exit: "exit",
  cwd: "cwd",
  since: "since",
  owner: "owner",
} as const satisfies Record<keyof SearchState, string>;

/** Reads the details of a link; what it does not know does not count. */
export function readSearch(query: URLSearchParams): SearchState {
  const field = (name: keyof SearchState): string => query.get(KEYS[name]) ?? "";
  const since = field("since");
  const exit = field("exit");
  return {
    text: field("text"),
    mode: MODES.find((mode) => mode === field("mode")) ?? NO_SEARCH.mode,
    exit: exitOf(exit) === undefined ? "" : exit,
    cwd: field("cwd"),
    since: Object.hasOwn(SINCE_MS, since) ? since : "",
    owner: field("owner"),
  };
}

/** Writes the details of a link, without what says nothing. */
export function writeSearch(state: SearchState): Readonly<Record<string, string>> {
  const fields = Object.keys(KEYS) as (keyof SearchState)[];
  return Object.fromEntries(
    fields
      .filter((name) => state[name] !== NO_SEARCH[name])
      .map((name) => [KEYS[name], state[name]]),
  );
}

/** The search to ask the host for; a field that cannot be asked for is named with what is wrong with it. */
export function buildQuery(
  { text, mode, exit, cwd, since, owner }: SearchState,
  now: number,
): SearchQuery | { readonly field: keyof SearchState; readonly problem: string } {
  const place = cwd.trim();
  if (place !== "" && !place.startsWith("/")) {
    return { field: "cwd", problem: "A directory begins with a slash, such as /home." };
  }
  const ended = exitOf(exit);
  const sinceMs = SINCE_MS[since];
  const owned = ownerOf(owner);
  return {
    text: mode === "words" ? text.trim() : text,
    mode,
    ...(ended === undefined ? {} : { exit: ended }),
    ...(place === "" ? {} : { cwd: place }),
    ...(sinceMs === undefined ? {} : { since: new Date(now - sinceMs).toISOString() }),
    ...(owned === undefined ? {} : { owner: owned }),
  };
}

/** An exit as it is written in a field: a word, or a code. */
function exitOf(text: string): ExitFilter | undefined {
  if (text === "success" || text === "failure" || text === "unknown") return text;
  return /^-?\d{1,9}$/.test(text) ? Number(text) : undefined;
}

/** An owner as it is written in a field: its kind, and behind a slash its identity. */
export function ownerOf(text: string): OwnerFilter | undefined {
  const [kind = "", ...rest] = text.trim().split("/");
  if (kind === "") return undefined;
  const entityId = rest.join("/");
  return entityId === "" ? { entityName: kind } : { entityName: kind, entityId };
}

/** An owner as `ownerOf` reads it. */
export const writeOwner = ({ entityName, entityId }: OwnerFilter): string =>
  entityId === undefined ? entityName : `${entityName}/${entityId}`;

/** The hits of one terminal. */
export interface HitGroup {
  readonly terminalId: SearchHit["terminalId"];
  readonly hits: readonly SearchHit[];
}

/** Puts the hits of each terminal together; the order is that of the newest hit of each. */
export function groupHits(hits: readonly SearchHit[]): readonly HitGroup[] {
  const groups = Map.groupBy(hits, ({ terminalId }) => terminalId);
  return Array.from(groups, ([terminalId, own]) => ({ terminalId, hits: own }));
}

/** Lets `j` and `k` move between the items of the list that is shown; Enter opens them, as they are links. */
export function useListKeys(): void {
  useEffect(() => {
    const handleKey = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event)) return;
      if (event.key !== "j" && event.key !== "k") return;
      const items = Array.from(document.querySelectorAll<HTMLElement>("[data-list-item]"));
      const at = items.findIndex((item) => item === document.activeElement);
      const to = at < 0 ? 0 : at + (event.key === "j" ? 1 : -1);
      items[Math.min(Math.max(to, 0), items.length - 1)]?.focus();
    };
    addEventListener("keydown", handleKey);
    return () => removeEventListener("keydown", handleKey);
  }, []);
}
