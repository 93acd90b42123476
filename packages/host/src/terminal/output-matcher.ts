import { type Context, createContext, Script } from "node:vm";
import { NacreError, type Size, type WaitCondition } from "@nacre/contracts";
import { withoutInvisible } from "../base/text/cells.ts";
import { TextTail } from "../base/text/text-tail.ts";

/** A pattern that needs longer for one piece of output would hold up everybody. */
const MAX_MATCH_MS = 50;

/** What a comparison may take for a while after one that took too long: whoever sends such patterns one after the other gets nowhere. */
const MAX_PENALTY_MATCH_MS = 5;
const PENALTY_MS = 1000;

/** How often a comparison is tried anew when the machine took the time away that it needed. */
const MAX_TRIES = 20;

/** What all comparisons of one pattern may take together. */
const MAX_TOTAL_MS = 250;

/** How much of the line before a regular expression may begin in. */
const REGEX_OVERLAP = 4096;

const MATCH = new Script("(pattern.exec(text) ?? [])[0]");

/** In a context of its own a comparison can be stopped in the middle; one for all, as each takes much memory. */
class RegexSandbox {
  readonly #within: { pattern: RegExp | undefined; text: string } = {
    pattern: undefined,
    text: "",
  };
  #context: Context | undefined;
  #slowAtMs = Number.NEGATIVE_INFINITY;

  /** What matched, or nothing when the time was over first. */
  find(pattern: RegExp, text: string): { readonly match?: string } | undefined {
    const isWary = performance.now() - this.#slowAtMs < PENALTY_MS;
    const maxMs = isWary ? MAX_PENALTY_MATCH_MS : MAX_MATCH_MS;
    this.#context ??= createContext(this.#within);
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const before = process.threadCpuUsage();
      const found = this.#find(pattern, text, maxMs);
      if (found) return found;
      if (msSince(before) > maxMs / 2) break;
    }
    this.#slowAtMs = performance.now();
    return undefined;
  }

  #find(pattern: RegExp, text: string, timeout: number): { readonly match?: string } | undefined {
    const context = (this.#context ??= createContext(this.#within));
    Object.assign(this.#within, { pattern, text });
    try {
      const match: unknown = MATCH.runInContext(context, { timeout });
      return typeof match === "string" ? { match } : {};
    } catch {
      return undefined; // It can only fail by taking too long.
    } finally {
      Object.assign(this.#within, { pattern: undefined, text: "" });
    }
  }
}

/** What this thread worked since then, however busy the machine was. */
function msSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}

const REGEX_SANDBOX = new RegexSandbox();

/** Looks at the text of an output piece by piece for what a condition names. */
export interface OutputMatcher {
  readonly kind: "text" | "regex";
  resize(size: Size): void;
  /** The text that was found. */
  find(piece: Uint8Array): string | undefined;
}

/** Makes the part of a condition that looks at output; others have none. */
export function createOutputMatcher(
  condition: WaitCondition,
  index: number,
  size?: Size,
): OutputMatcher | undefined {
  if (condition.kind === "text") return textMatcher(condition.text, size);
  if (condition.kind === "regex") return regexMatcher(condition.pattern, index, size);
  return undefined;
}

function textMatcher(text: string, size: Size | undefined): OutputMatcher {
  // No text has characters that nobody sees, so they cannot be waited for.
  const wanted = withoutInvisible(text) || text;
  const tail = new TextTail(wanted.length - 1, size);
  return {
    kind: "text",
    resize: (changed) => tail.resize(changed),
    find: (piece) => (tail.push(piece).includes(wanted) ? text : undefined),
  };
}

function regexMatcher(source: string, index: number, size: Size | undefined): OutputMatcher {
  const tail = new TextTail(REGEX_OVERLAP, size);
  const pattern = compile(source, index);
  let totalMs = 0;
  return {
    kind: "regex",
    resize: (changed) => tail.resize(changed),
    find(piece) {
      const text = tail.push(piece);
      const before = process.threadCpuUsage();
      const found = REGEX_SANDBOX.find(pattern, text);
      totalMs += msSince(before);
      if (found === undefined || totalMs > MAX_TOTAL_MS) throw tooSlow(source, index);
      return found.match;
    },
  };
}

const tooSlow = (source: string, index: number): NacreError =>
  new NacreError(
    "invalid_argument",
    `the pattern ${JSON.stringify(source)} takes too long to compare`,
    {
      field: `until.${index}.pattern`,
      suggestion: "Use a simpler pattern, without nested repetitions.",
    },
  );

function compile(source: string, index: number): RegExp {
  try {
    return new RegExp(source, "mu");
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new NacreError("invalid_argument", `until.${index}.pattern: ${reason}`, {
      field: `until.${index}.pattern`,
      cause,
    });
  }
}
