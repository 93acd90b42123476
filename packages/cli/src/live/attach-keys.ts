import { NacreError } from "@nacre/contracts";

/** What a person wants of `attach` itself. */
export type AttachAction = "detach" | "take" | "giveBack" | "help" | "unknown";

/** What was typed: bytes for the program, or something for `attach`. */
export type KeyInput =
  | { readonly kind: "bytes"; readonly bytes: Uint8Array }
  | { readonly kind: "action"; readonly action: AttachAction };

/** Which keys leave a terminal: one, or a first that makes the next one count. */
export interface DetachKeys {
  readonly prefix: number | undefined;
  readonly detach: number;
  /** As people are told. */
  readonly words: string;
}

/** What leaves a terminal when nobody says; no shell and no editor uses it much. */
export const DEFAULT_DETACH_KEYS = "ctrl-],d";

const CONTROL_KEY = /^(?:ctrl-|c-|\^)([a-z@[\\\]^_])$/i;

/** Reads keys as docker spells them: one key or two with a comma between, each a letter or `ctrl-` and a letter. */
export function parseDetachKeys(text: string): DetachKeys {
  const names = text.split(",");
  const codes = names.map(codeOf);
  const [first, second] = codes;
  if (first === undefined || codes.length > 2 || codes.includes(undefined)) {
    throw new NacreError("invalid_argument", `--detach-keys: ${text} is not one or two keys`, {
      field: "detach-keys",
      suggestion: "Name them as in `ctrl-],d`.",
    });
  }
  const words = names.map(wordOf).join(" ");
  return second === undefined
    ? { prefix: undefined, detach: first, words }
    : { prefix: first, detach: second, words };
}

function codeOf(name: string): number | undefined {
  const letter = CONTROL_KEY.exec(name)?.[1];
  if (letter !== undefined) return letter.toUpperCase().charCodeAt(0) & 0x1f;
  return /^[!-~]$/.test(name) ? name.charCodeAt(0) : undefined;
}

const wordOf = (name: string): string => {
  const letter = CONTROL_KEY.exec(name)?.[1];
  return letter === undefined ? name : `Ctrl-${letter.toUpperCase()}`;
};

const PASTE_BEGIN = "\x1b[200~";
const PASTE_END = "\x1b[201~";

const ACTIONS: Readonly<Record<string, AttachAction>> = { t: "take", g: "giveBack", "?": "help" };

/** Finds what is for `attach` in what a person types; whatever is pasted is for the program. */
export class AttachKeys {
  readonly #keys: DetachKeys;
  readonly #leader: RegExp;
  #isPrefixed = false;
  #isPasting = false;
  /** The last bytes, where a sequence that begins or ends a paste may be cut. */
  #tail = "";

  constructor(keys: DetachKeys) {
    this.#keys = keys;
    this.#leader = leaderOf(keys.prefix ?? keys.detach);
  }

  /** Takes what was typed apart, in its order. */
  push(bytes: Uint8Array): readonly KeyInput[] {
    const typed: KeyInput[] = [];
    let rest = Buffer.from(bytes).toString("latin1");
    while (rest !== "") {
      if (this.#isPrefixed) {
        const { length, key } = keyAt(rest);
        rest = rest.slice(length);
        this.#isPrefixed = false;
        typed.push(this.#meant(key));
        continue;
      }
      const [plain, found] = this.#plainPart(rest);
      if (plain !== "") typed.push({ kind: "bytes", bytes: Buffer.from(plain, "latin1") });
      rest = rest.slice(plain.length + found.length);
      if (found === "") continue;
      if (this.#keys.prefix === undefined) typed.push({ kind: "action", action: "detach" });
      else this.#isPrefixed = true;
    }
    return typed;
  }

  #meant(key: string): KeyInput {
    const { prefix, detach } = this.#keys;
    if (key.charCodeAt(0) === detach) return { kind: "action", action: "detach" };
    if (key.charCodeAt(0) === prefix) return { kind: "bytes", bytes: Buffer.from(key, "latin1") };
    return { kind: "action", action: ACTIONS[key] ?? "unknown" };
  }

  /** What comes before the next key for `attach`, and how that key was spelled. */
  #plainPart(text: string): readonly [plain: string, found: string] {
    for (let at = 0; ;) {
      if (this.#isPasting) {
        const end = this.#find(text, at, PASTE_END);
        if (end === undefined) return [this.#passed(text), ""];
        this.#isPasting = false;
        at = end;
      }
      this.#leader.lastIndex = at;
      const leader = this.#leader.exec(text);
      const begin = this.#find(text, at, PASTE_BEGIN);
      if (begin === undefined || (leader && leader.index < begin)) {
        if (!leader) return [this.#passed(text), ""];
        this.#tail = "";
        return [text.slice(0, leader.index), leader[0]];
      }
      this.#isPasting = true;
      at = begin;
    }
  }

  /** Where a sequence ends that may have begun in what was typed before. */
  #find(text: string, at: number, sequence: string): number | undefined {
    const before = at === 0 ? this.#tail : "";
    const index = (before + text.slice(at)).indexOf(sequence);
    return index === -1 ? undefined : at + index + sequence.length - before.length;
  }

  #passed(text: string): string {
    this.#tail = (this.#tail + text).slice(1 - PASTE_BEGIN.length);
    return text;
  }
}

/** A control key as a byte, or as programs may ask terminals to spell it. */
function leaderOf(code: number): RegExp {
  if (code >= 0x20) return new RegExp(escaped(code), "g");
  const letter = code | 0x40;
  const codes = [letter, letter | 0x20].join("|");
  return new RegExp(
    `${escaped(code)}|\\x1b\\[(?:${codes});5(?::1)?u|\\x1b\\[27;5;(?:${codes})~`,
    "g",
  );
}

const escaped = (code: number): string => `\\x${code.toString(16).padStart(2, "0")}`;

/** The key at the beginning of a text, by its letter. */
function keyAt(text: string): { readonly length: number; readonly key: string } {
  // oxlint-disable-next-line no-control-regex
  const spelled = /^\x1b\[(?:27;5;)?(\d+)(?::\d*)*(?:;(\d+)(?::1)?)?[u~]/.exec(text);
  if (!spelled) return { length: 1, key: text.charAt(0) };
  const code = Number(spelled[1]);
  const isControl = spelled[2] === "5" || spelled[0].includes("27;5;");
  const key = String.fromCharCode(isControl ? code & 0x1f : code);
  return { length: spelled[0].length, key };
}
