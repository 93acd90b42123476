import type { FactOf } from "../recorded-entry.ts";
import type { ImportedFact } from "./cast-facts.ts";

interface ImportedExit extends ImportedFact {
  readonly fact: FactOf<"exit">;
}

const isExit = (imported: ImportedFact): imported is ImportedExit => imported.fact.type === "exit";

/** A program ends once, so further exits are left out; what follows the first came while another program kept the terminal open. */
export function* dropLaterExits(facts: Iterable<ImportedFact>): Generator<ImportedFact> {
  let exit: ImportedExit | undefined;
  let isGiven = false;
  for (const imported of facts) {
    if (isExit(imported)) {
      exit ??= imported;
      continue;
    }
    if (exit !== undefined && !isGiven) {
      yield { ...exit, fact: { ...exit.fact, drained: false } };
      isGiven = true;
    }
    yield imported;
  }
  if (exit !== undefined && !isGiven) yield exit;
}
