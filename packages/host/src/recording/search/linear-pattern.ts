import { NacreError } from "@nacre/contracts";
import { RE2JS } from "re2js";
import type { MatchRange } from "./matcher.ts";

/** A back reference by name; RE2 would take it for the letter k. */
const NAMED_REFERENCE = /(?<!\\)(?:\\\\)*\\k</;

/** Scripts are written as in JavaScript; RE2 has their names alone. */
const SCRIPT = /(?<!\\)((?:\\\\)*\\[pP])\{(?:Script|sc)=(\w+)\}/g;

/** A regular expression of RE2: a line takes time by its length, whatever the pattern; so there are no look-arounds and no back references. */
export class LinearPattern {
  readonly #pattern: RE2JS;

  /** Takes the syntax of JavaScript; what is wrong or cannot be had in linear time is refused. */
  constructor(source: string) {
    try {
      // What is no pattern in JavaScript is none here: the two must not understand a text in different ways.
      void new RegExp(source, "u");
      if (NAMED_REFERENCE.test(source)) throw new Error("back references are not supported");
      this.#pattern = RE2JS.compile(RE2JS.translateRegExp(source.replace(SCRIPT, "$1{$2}")));
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new NacreError("invalid_argument", `text: ${reason}`, {
        cause,
        field: "text",
        suggestion:
          "Correct the regular expression, leave out look-arounds and back references, or look for it as a `substring`.",
      });
    }
  }

  /** Every place in a line, in order, up to so many; an empty match is nothing that could be shown. */
  rangesIn(line: string, max: number): MatchRange[] {
    const ranges: MatchRange[] = [];
    // Telling that there is none is much cheaper than telling where.
    if (!this.#pattern.test(line)) return ranges;
    const matcher = this.#pattern.matcher(line);
    while (ranges.length < max && matcher.find()) {
      const [start, end] = [matcher.start(), matcher.end()];
      if (end > start) ranges.push({ start, end });
    }
    return ranges;
  }
}
