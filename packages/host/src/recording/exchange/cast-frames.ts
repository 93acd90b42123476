import { type ByteCursor, MAX_CAST_LINE_BYTES } from "./byte-cursor.ts";
import { CastClock } from "./cast-clock.ts";
import { CastFacts, type ImportedFact } from "./cast-facts.ts";
import { IdleGuard } from "./idle-guard.ts";
import { parseJson, skipBlank, takeByte, takeValue } from "./json-value.ts";
import { MalformedCastError } from "./malformed.ts";

const CLOSING_BRACKET = "]".charCodeAt(0);

/** Reads the frames of version 1, an array of `[delay, data]`, one at a time. */
export function* readFrames(cursor: ByteCursor): Generator<ImportedFact> {
  const facts = new CastFacts(new CastClock("intervals"));
  const idle = new IdleGuard(cursor);
  takeByte(cursor, "[");
  let isFirst = true;
  while (skipBlank(cursor) !== CLOSING_BRACKET) {
    if (!isFirst) takeByte(cursor, ",");
    isFirst = false;
    skipBlank(cursor);
    const [delay, data] = parseFrame(takeValue(cursor, MAX_CAST_LINE_BYTES));
    for (const fact of facts.of(delay, "o", data)) {
      yield fact;
      idle.reset();
    }
    idle.check();
  }
  takeByte(cursor, "]");
}

function parseFrame(text: string): [delay: unknown, data: unknown] {
  const frame = parseJson(text);
  if (!Array.isArray(frame) || frame.length !== 2) {
    throw new MalformedCastError("a frame is not `[delay, data]`");
  }
  return [frame[0], frame[1]];
}
