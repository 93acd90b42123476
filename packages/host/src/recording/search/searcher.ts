import {
  DEFAULT_SEARCH_HITS,
  NacreError,
  type SearchHit,
  type SearchQuery,
  type SearchResult,
  type TerminalId,
  type TerminalOwnerReference,
} from "@nacre/contracts";
import type { StoreReader } from "../../store/store.ts";
import { entryIdOf } from "../recorded-entry.ts";
import type { CandidateBlock, IndexedCommand, IndexReader } from "./index-reader.ts";
import { buildTrigramQuery } from "./trigrams.ts";
import type { IndexedLine } from "./line-block.ts";
import { createQueryMatcher, type MatchRange, type QueryMatcher } from "./matcher.ts";

/** Enough for any real line, little enough for a page of hits. */
const MAX_EXCERPT_LENGTH = 1000;

/** Text before the first match. */
const LEAD_LENGTH = 200;

/** The part of a line around its first match. */
function cutExcerpt(
  line: string,
  ranges: readonly MatchRange[],
): { readonly line: string; readonly matches: MatchRange[] } {
  if (line.length <= MAX_EXCERPT_LENGTH) return { line, matches: [...ranges] };
  const wanted = Math.max(
    0,
    Math.min((ranges[0]?.start ?? 0) - LEAD_LENGTH, line.length - MAX_EXCERPT_LENGTH),
  );
  const start = alignToCharacter(line, wanted);
  const end = alignToCharacter(line, start + MAX_EXCERPT_LENGTH);
  const matches = ranges
    .filter((range) => range.start >= start && range.start < end)
    .map((range) => ({ start: range.start - start, end: Math.min(range.end, end) - start }));
  return { line: line.slice(start, end), matches };
}

/** Never cuts a surrogate pair. */
function alignToCharacter(line: string, index: number): number {
  const code = line.charCodeAt(index);
  return code >= 0xdc00 && code <= 0xdfff ? index - 1 : index;
}

/** Returns partial results after this; the thread is terminated soon after. */
const SEARCH_BUDGET_MS = 1500;

interface LineMatch {
  readonly block: CandidateBlock;
  readonly lines: readonly IndexedLine[];
  readonly index: number;
  readonly ranges: readonly MatchRange[];
}

/** The last line looked at, so that a search can continue although the terminal did, too. */
interface Position {
  readonly block: number;
  readonly terminal: number;
  /** Line number within the terminal's output. */
  readonly line: number;
  readonly sequence: number;
}

/** Searches all recordings, newest first. */
export class Searcher {
  readonly #store: StoreReader;
  readonly #index: IndexReader;
  readonly #now: () => number;

  constructor(store: StoreReader, index: IndexReader, now = () => performance.now()) {
    this.#store = store;
    this.#index = index;
    this.#now = now;
  }

  /** Out of time, it returns what it has and where to continue. */
  search(query: SearchQuery): SearchResult {
    // Asked first: an index that is complete now was so for the whole search.
    const isBuilding = this.#index.isBuilding();
    return { ...this.#find(query), ...(isBuilding ? { indexing: true } : {}) };
  }

  #find(query: SearchQuery): SearchResult {
    const limit = query.limit ?? DEFAULT_SEARCH_HITS;
    const stopAt = this.#now() + SEARCH_BUDGET_MS;
    const hits: SearchHit[] = [];
    let last: Position | undefined;
    for (const step of this.#walk(query)) {
      if ("hit" in step) {
        // One more than asked for: there is a next page.
        if (hits.length === limit) return toTruncatedResult(hits, last);
        hits.push(step.hit);
      }
      last = step.position;
      if (this.#now() > stopAt) return toTruncatedResult(hits, last);
    }
    return { hits, truncated: false };
  }

  *#walk(
    query: SearchQuery,
  ): Generator<{ position: Position; hit: SearchHit } | { position: Position }> {
    const matcher = createQueryMatcher(query);
    const start = query.after === undefined ? undefined : parsePosition(query.after);
    const isWantedTerminal = this.#ownerFilter(query);
    const blocks = this.#index.candidates({
      trigrams: buildTrigramQuery(matcher),
      terminalIds: query.terminalIds,
      since: parseTime(query.since),
      until: parseTime(query.until),
      from: start,
    });
    for (const block of blocks) {
      const { id, terminal, firstSequence } = block;
      const lines = isWantedTerminal(block.terminalId) ? readLines(block, matcher) : undefined;
      let number = block.firstLine + (lines?.filter(isOutput).length ?? 0);
      for (let index = (lines?.length ?? 0) - 1; lines && index >= 0; index--) {
        const line = lines[index];
        if (!line) continue;
        if (isOutput(line)) number--;
        const position = { block: id, terminal, line: number, sequence: line.first };
        if (start && isPast(line, position, start)) continue;
        const ranges = matchesIn(line, matcher.match(line.text));
        if (ranges.length === 0) continue;
        const hit = this.#toHit({ block, lines, index, ranges }, query);
        if (hit) yield { position, hit };
      }
      yield { position: { block: id, terminal, line: block.firstLine, sequence: firstSequence } };
    }
  }

  #ownerFilter({ owner }: SearchQuery): (id: TerminalId) => boolean {
    const known = new Map<TerminalId, boolean>();
    return (id) => {
      const isKnown = known.get(id);
      if (isKnown !== undefined) return isKnown;
      const found = this.#ownerOf(id);
      const isWanted =
        found !== undefined &&
        (!owner ||
          (found.entityName === owner.entityName &&
            (owner.entityId === undefined || found.entityId === owner.entityId)));
      known.set(id, isWanted);
      return isWanted;
    };
  }

  /** Undefined where the terminal's row is damaged. */
  #ownerOf(id: TerminalId): TerminalOwnerReference | undefined {
    try {
      return this.#store.readTerminal(id)?.owner;
    } catch {
      return undefined;
    }
  }

  /** Undefined when a filter excludes it or its entry is gone. */
  #toHit(found: LineMatch, query: SearchQuery): SearchHit | undefined {
    const { block, lines, index, ranges } = found;
    const line = lines[index];
    if (!line || !isWantedLine(line, query)) return undefined;
    const command = this.#index.findCommand(block.terminal, line.first);
    if (!isWantedCommand(command, query)) return undefined;
    const { terminalId } = block;
    const at = { terminalId, after: line.first - 1, limit: 1, maxBytes: 1 };
    const [row] = this.#store.readEntries(at);
    if (row?.sequence !== line.first) return undefined;
    if (query.caller !== undefined && callerIn(row.facts) !== query.caller) return undefined;
    const context = query.context ?? 0;
    return {
      terminalId,
      entryId: entryIdOf(terminalId, line.first),
      sequence: line.first,
      type: line.type,
      occurredAt: new Date(row.at).toISOString(),
      ...cutExcerpt(line.text, ranges),
      ...(context > 0 ? this.#readContext(found, context) : {}),
      ...(command ? { command: toHitCommand(command) } : {}),
    };
  }

  #readContext({ block, lines, index }: LineMatch, count: number) {
    const gone = this.#store.readAnchor(block.terminalId)?.sequence ?? 0;
    const shown = (some: readonly IndexedLine[]): string[] =>
      some
        .filter((line) => isOutput(line) && line.first > gone)
        .map(({ text }) => cutExcerpt(text, []).line);
    const before = shown(lines.slice(0, index));
    const after = shown(lines.slice(index + 1));
    const earlier = before.length < count ? shown(this.#index.neighbourLines(block, "before")) : [];
    const later = after.length < count ? shown(this.#index.neighbourLines(block, "after")) : [];
    return {
      linesBefore: [...earlier, ...before].slice(-count),
      linesAfter: [...after, ...later].slice(0, count),
    };
  }
}

/** Undefined when it is certain that none matches. */
function readLines(block: CandidateBlock, matcher: QueryMatcher): IndexedLine[] | undefined {
  if (!matcher.mayMatchBytes(block.bytes)) return undefined;
  const text = block.bytes.toString();
  return matcher.mayMatch(text) ? block.lines(text) : undefined;
}

const isOutput = ({ type }: IndexedLine): boolean => type === "output";

/** Already looked at on an earlier page. */
function isPast(line: IndexedLine, at: Position, start: Position): boolean {
  if (at.terminal !== start.terminal) return false;
  return isOutput(line) ? at.line >= start.line : line.first >= start.sequence;
}

const parseTime = (time: string | undefined): number | undefined =>
  time === undefined ? undefined : Date.parse(time);

/** The repeated part of a cut line matched in the line before. */
function matchesIn({ carry }: IndexedLine, ranges: readonly MatchRange[]): readonly MatchRange[] {
  return carry === 0 ? ranges : ranges.filter(({ end }) => end > carry);
}

function isWantedLine({ type, at }: IndexedLine, query: SearchQuery): boolean {
  if (query.types && !query.types.includes(type)) return false;
  const since = parseTime(query.since);
  const until = parseTime(query.until);
  return (since === undefined || at >= since) && (until === undefined || at < until);
}

function isWantedCommand(command: IndexedCommand | undefined, query: SearchQuery): boolean {
  const { command: line, cwd, exit } = query;
  if (line === undefined && cwd === undefined && exit === undefined) return true;
  if (!command) return false;
  if (line !== undefined && !command.commandLine.includes(line)) return false;
  if (cwd !== undefined && !isInside(command.cwd, cwd)) return false;
  return exit === undefined || isEnding(command, exit);
}

function isInside(path: string | undefined, directory: string): boolean {
  if (path === undefined) return false;
  const base = directory.replace(/(?<=.)[\\/]+$/, "");
  return path === base || path.startsWith(base.endsWith("/") ? base : `${base}/`);
}

function isEnding(
  { exitCode, signal }: IndexedCommand,
  exit: NonNullable<SearchQuery["exit"]>,
): boolean {
  if (typeof exit === "number") return exitCode === exit;
  switch (exit) {
    case "success":
      return exitCode === 0;
    case "failure":
      return signal !== undefined || (exitCode !== undefined && exitCode !== 0);
    case "unknown":
      return exitCode === undefined && signal === undefined;
  }
}

function callerIn(facts: string | null): unknown {
  const parsed: unknown = facts === null ? undefined : JSON.parse(facts);
  return typeof parsed === "object" && parsed !== null && "by" in parsed ? parsed.by : undefined;
}

function toHitCommand({
  commandId,
  commandLine,
  cwd,
  exitCode,
}: IndexedCommand): NonNullable<SearchHit["command"]> {
  return {
    commandId,
    commandLine,
    ...(cwd === undefined ? {} : { cwd }),
    ...(exitCode === undefined ? {} : { exitCode }),
  };
}

function toTruncatedResult(hits: SearchHit[], last: Position | undefined): SearchResult {
  if (!last) return { hits, truncated: false };
  const { block, terminal, line, sequence } = last;
  const nextAfter = [block, terminal, line, sequence].map((part) => part.toString(36)).join(".");
  return { hits, truncated: true, nextAfter };
}

/** Accepts only what `toTruncatedResult` wrote. */
function parsePosition(after: string): Position {
  const parts = /^[0-9a-z]{1,10}(?:\.[0-9a-z]{1,10}){3}$/.test(after) ? after.split(".") : [];
  const [block, terminal, line, sequence] = parts.map((part) => Number.parseInt(part, 36));
  if (
    block === undefined ||
    terminal === undefined ||
    line === undefined ||
    sequence === undefined
  ) {
    throw new NacreError("invalid_argument", "after: is not a position that a search gave", {
      field: "after",
      suggestion: "Send the `nextAfter` of an answer, or leave it out to begin anew.",
    });
  }
  return { block, terminal, line, sequence };
}
