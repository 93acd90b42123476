import { NacreError } from "@nacre/contracts/error";
import { nearNames } from "./near-names.ts";
import { type Verb, VERBS } from "./verbs.ts";

const namesOf = ({ name, aliases = [] }: Verb): readonly string[] => [name, ...aliases];

/** The verb of this name, of this other name, or the only one that begins so. */
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
