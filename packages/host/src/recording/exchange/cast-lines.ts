import type { ByteCursor } from "./byte-cursor.ts";
import { CastClock } from "./cast-clock.ts";
import { CastFacts, type ImportedFact } from "./cast-facts.ts";
import { IdleGuard } from "./idle-guard.ts";
import { parseJson } from "./json-value.ts";
import { MalformedCastError } from "./malformed.ts";

/** Takes the end of the line that the header is on. */
export function takeEndOfHeader(cursor: ByteCursor): void {
  const rest = cursor.takeLine() ?? "";
  if (rest.trim() !== "") throw new MalformedCastError("something follows the header on its line");
}

/** Reads the events of version 2 and 3, one per line. */
export function* readEventLines(cursor: ByteCursor, version: 2 | 3): Generator<ImportedFact> {
  const facts = new CastFacts(new CastClock(version === 2 ? "absolute" : "intervals"));
  const idle = new IdleGuard(cursor);
  for (;;) {
    const line = cursor.takeLine();
    if (line === undefined) return;
    if (holdsEvent(line, version)) {
      for (const fact of facts.of(...parseEventLine(line))) {
        yield fact;
        idle.reset();
      }
    }
    idle.check();
  }
}

function holdsEvent(line: string, version: 2 | 3): boolean {
  if (version === 3 && line.startsWith("#")) return false;
  return line.startsWith("[") || line.trim() !== "";
}

function parseEventLine(line: string): [time: unknown, code: unknown, data: unknown] {
  const event = parseJson(line);
  if (!Array.isArray(event) || event.length !== 3) {
    throw new MalformedCastError("the line is not an event `[time, code, data]`");
  }
  return [event[0], event[1], event[2]];
}
