import { NacreError } from "@nacre/contracts/error";
import { type Verb, VERBS } from "./verbs.ts";

/** More changes make another word. */
const MAX_CHANGES = 2;

/** Suggestions for a mistyped name. */
export function nearNames(typed: string, names: readonly string[]): readonly string[] {
  return names.filter(
    (name) => name.startsWith(typed) || changesBetween(typed, name) <= MAX_CHANGES,
  );
}

/** Levenshtein distance. */
function changesBetween(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let at = 1; at <= one.length; at++) {
    const next = [at];
    for (let to = 1; to <= other.length; to++) {
      const replaced = (row[to - 1] ?? 0) + (one[at - 1] === other[to - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[to] ?? 0) + 1, (next[to - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}

const namesOf = ({ name, aliases = [] }: Verb): readonly string[] => [name, ...aliases];

/** By name, alias or unique prefix. */
export function findVerb(word: string): Verb {
  const named = VERBS.find((verb) => namesOf(verb).includes(word));
  if (named) return named;
  const begun = VERBS.filter((verb) => namesOf(verb).some((name) => name.startsWith(word)));
  const [only, ...others] = begun;
  if (only && others.length === 0 && word !== "") return only;
  const near = (begun.length > 0 ? begun.map(({ name }) => name) : nearNames(word, allNames())).map(
    (name) => `\`${name}\``,
  );
  throw new NacreError(
    "invalid_argument",
    `there is no verb ${word}${near.length > 0 ? `; ${near.join(" or ")}?` : ""}`,
    { suggestion: "Run `nacre --help` for all of them." },
  );
}

const allNames = (): readonly string[] => VERBS.flatMap(namesOf);
