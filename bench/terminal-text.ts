// Text as terminals show it, the same in every run: log lines in colour, stack traces, test reports and prose.
import { builtinModules } from "node:module";

/** Repeatable numbers from 0 up to 1. */
export function repeatableRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}

/** Words that people and programs really use: the names of what Node has built in, and their parts. */
function realWords(): string[] {
  const names = [...builtinModules, ...Object.getOwnPropertyNames(globalThis)].flatMap((name) => {
    const value: unknown = name.startsWith("_") ? undefined : Reflect.get(globalThis, name);
    const built: unknown = value ?? builtinNamed(name);
    return [name, ...namesIn(built), ...namesIn(Reflect.get(Object(built), "prototype"))];
  });
  const parts = names.flatMap((name) => name.split(/(?=[A-Z][a-z])|[^A-Za-z0-9]+/));
  return [...new Set([...names, ...parts.map((part) => part.toLowerCase())])]
    .filter((word) => /^[A-Za-z][A-Za-z0-9]+$/.test(word))
    .toSorted();
}

/** Loading these prints a warning. */
const isNoisy = (name: string): boolean =>
  name.startsWith("_") || ["punycode", "sys", "wasi"].includes(name);

function builtinNamed(name: string): unknown {
  return isNoisy(name) || !builtinModules.includes(name)
    ? undefined
    : process.getBuiltinModule(name);
}

function namesIn(value: unknown): string[] {
  const isOpen = (typeof value === "object" && value !== null) || typeof value === "function";
  return isOpen ? Object.getOwnPropertyNames(value) : [];
}

/** Makes lines out of words of which few are frequent and most are rare, as in any language. */
export class TerminalText {
  readonly #random = repeatableRandom(12_345);
  readonly #words: readonly string[];
  #count = 0;

  constructor() {
    // Which words are frequent is left to chance, but the same in every run.
    this.#words = realWords()
      .map((word) => ({ word, place: this.#random() }))
      .toSorted((a, b) => a.place - b.place)
      .map(({ word }) => word);
  }

  line(): string {
    const n = ++this.#count;
    const kind = this.#random();
    if (kind < 0.2) {
      const id = this.#below(1e9).toString(36);
      const time = `2026-01-31T10:${n % 60}:${(n * 7) % 60}.${n % 1000}Z`;
      return `\u001b[32m[${time}]\u001b[0m INFO ${this.word()} ${this.word()} id=${id} took ${this.#below(1000)}ms`;
    }
    if (kind < 0.4) {
      const place = `src/${this.word()}/${this.word()}.ts:${this.#below(999)}:${this.#below(80)}`;
      return `  at ${this.word()}.${this.word()} (${place})`;
    }
    if (kind < 0.6) return ` \u001b[32m✓\u001b[0m ${this.words(4)} (${this.#below(99)} ms)`;
    return this.words(6 + this.#below(10));
  }

  word(): string {
    return this.#words[Math.floor(this.#random() ** 2.5 * this.#words.length)] ?? "";
  }

  words(count: number): string {
    return Array.from({ length: count }, () => this.word()).join(" ");
  }

  /** So many bytes of lines. */
  bytes(count: number): Buffer {
    const lines: string[] = [];
    for (let length = 0; length < count;) {
      const line = `${this.line()}\r\n`;
      length += Buffer.byteLength(line);
      lines.push(line);
    }
    return Buffer.from(lines.join("")).subarray(0, count);
  }

  #below(limit: number): number {
    return Math.floor(this.#random() * limit);
  }
}
