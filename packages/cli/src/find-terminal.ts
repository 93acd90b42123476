import { type After, PAGE_ROWS, readAll } from "@nacre/client/ui";
import type { QuickCall } from "@nacre/client/quick";
import type { TerminalId } from "@nacre/contracts";
import { NacreError } from "@nacre/contracts/error";

export interface NamedTerminal {
  readonly id: TerminalId;
  readonly name?: string | undefined;
  readonly title?: string | undefined;
}

const PREFIX = "terminal:";

const SHOWN_CANDIDATES = 8;

/** The part of an id that people type. */
export const uidOf = (id: string): string => (id.startsWith(PREFIX) ? id.slice(PREFIX.length) : id);

/** Distinguishes a few hundred terminals. */
const SHORT_LENGTH = 8;

/** Shortest unique prefixes. */
export function shortIds(ids: readonly string[]): (id: string) => string {
  const uids = ids.map(uidOf);
  let length = SHORT_LENGTH;
  const areApart = (): boolean =>
    new Set(uids.map((uid) => uid.slice(0, length))).size === new Set(uids).size;
  while (!areApart()) length++;
  return (id) => uidOf(id).slice(0, length);
}

/** By id, name, prefix of its id, or title; live ones first, then recorded ones. */
export async function findTerminal(
  word: string | undefined,
  call: QuickCall,
): Promise<NamedTerminal> {
  const wanted = word ?? process.env["NACRE_TERMINAL_ID"];
  if (!wanted) {
    throw new NacreError(
      "invalid_argument",
      "no terminal named: give an id, the beginning of one, or a name",
      {
        field: "terminal",
        suggestion: "`nacre ls` lists the terminals.",
      },
    );
  }
  const live = await allTerminals(call);
  const found = choose(live, wanted);
  if (found) return found;
  const recorded = await allRecordings(call);
  const past = choose(recorded, wanted);
  if (past) return past;
  throw notFound(wanted, live);
}

/** Undefined when none matches; throws when several do. Names go before titles, which any program can set. */
function choose(candidates: readonly NamedTerminal[], word: string): NamedTerminal | undefined {
  const uid = uidOf(word);
  const ways: readonly ((one: NamedTerminal) => boolean)[] = [
    ({ id }) => uidOf(id) === uid,
    ({ name }) => name === word,
    ({ id }) => uid !== "" && uidOf(id).startsWith(uid),
    ({ title }) => title === word,
  ];
  for (const way of ways) {
    const found = candidates.filter(way);
    if (found.length === 1) return found[0];
    if (found.length > 1) throw ambiguous(word, found);
  }
  return undefined;
}

const allTerminals = (call: QuickCall): Promise<readonly NamedTerminal[]> =>
  readAll(
    (after: After<TerminalId>) => call("listTerminals", { limit: PAGE_ROWS, ...after }),
    ({ terminals }) => terminals,
  );

const allRecordings = (call: QuickCall): Promise<readonly NamedTerminal[]> =>
  readAll(
    (after: After<TerminalId>) => call("listRecordings", { limit: PAGE_ROWS, ...after }),
    ({ recordings }) => recordings,
  );

function ambiguous(word: string, found: readonly NamedTerminal[]): NacreError {
  return new NacreError("invalid_argument", `${word} is ambiguous: it matches ${listed(found)}`, {
    field: "terminal",
    suggestion: "Name one by more of its id.",
    details: { candidates: found.map(({ id }) => id) },
  });
}

function notFound(word: string, live: readonly NamedTerminal[]): NacreError {
  const there = live.length === 0 ? "there is none" : `there are ${listed(live)}`;
  return new NacreError("terminal_not_found", `no terminal matches ${word}; ${there}`, {
    field: "terminal",
    suggestion: "`nacre ls` lists the terminals.",
    details: { candidates: live.map(({ id }) => id) },
  });
}

function listed(terminals: readonly NamedTerminal[]): string {
  const shorten = shortIds(terminals.map(({ id }) => id));
  const shown = terminals
    .slice(0, SHOWN_CANDIDATES)
    .map(({ id, name }) => (name === undefined ? shorten(id) : `${shorten(id)} (${name})`));
  const more = terminals.length - shown.length;
  return `${shown.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}
