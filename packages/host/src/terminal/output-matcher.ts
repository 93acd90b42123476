import { type Context, createContext, Script } from "node:vm";
import { NacreError, type WaitCondition } from "@nacre/contracts";

/** A line that never ends is compared by its end only. */
const MAX_TAIL_LENGTH = 65_536;

/** Every escape sequence that output entries have whole: CSI, strings, and those of two or three characters. */
const SEQUENCES =
  // oxlint-disable-next-line no-control-regex -- escape sequences are made of control characters
  /\u001b(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[ -/]*[0-~])/g;

// oxlint-disable-next-line no-control-regex -- removing them is the purpose
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f]/g;

/** The words in a view of output: without escape sequences and control characters, lines ended by a line feed. */
export function toPlainText(view: Uint8Array): string {
  const text = Buffer.from(view.buffer, view.byteOffset, view.byteLength).toString();
  return text.replaceAll(SEQUENCES, "").replaceAll("\r\n", "\n").replaceAll(CONTROLS, "");
}

/** The newest words of an output, for who waits for some of them. */
class PlainTail {
  #text = "";

  /** Adds a view and returns the text to compare: all that is new, and of what is old as much as a match may begin in. */
  push(view: Uint8Array, overlap: number): string {
    const added = toPlainText(view);
    const kept = Math.min(overlap, MAX_TAIL_LENGTH);
    const before = kept === 0 ? "" : this.#text.slice(-kept);
    this.#text = `${this.#text}${added}`.slice(-MAX_TAIL_LENGTH);
    return before + added;
  }

  /** The last line, ended or not. */
  get lastLine(): string {
    return this.#text.slice(this.#text.lastIndexOf("\n") + 1);
  }
}

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

/** Looks at output piece by piece for what a condition names. */
export interface OutputMatcher {
  readonly kind: "text" | "regex";
  /** The text that was found. */
  find(view: Uint8Array): string | undefined;
}

/** Makes the part of a condition that looks at output; others have none. */
export function createOutputMatcher(
  condition: WaitCondition,
  index: number,
): OutputMatcher | undefined {
  if (condition.kind === "text") return textMatcher(condition.text);
  if (condition.kind === "regex") return regexMatcher(condition.pattern, index);
  return undefined;
}

function textMatcher(text: string): OutputMatcher {
  const tail = new PlainTail();
  return {
    kind: "text",
    find: (view) => (tail.push(view, text.length - 1).includes(text) ? text : undefined),
  };
}

function regexMatcher(source: string, index: number): OutputMatcher {
  const tail = new PlainTail();
  const pattern = compile(source, index);
  let totalMs = 0;
  return {
    kind: "regex",
    find(view) {
      const text = tail.push(view, REGEX_OVERLAP);
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
