import { endOfNarrowRun } from "./cells.ts";

/** Further parameters are dropped; the longest real sequences have half as many. */
export const MAX_PARAMETERS = 32;

/** A larger number means the same: no screen has as many rows or columns. */
export const MAX_PARAMETER = 9_999;

/** Real sequences have one; one with more is ignored. */
export const MAX_INTERMEDIATES = 2;

const OMITTED = -1;

interface CsiState {
  readonly prefix: string;
  readonly intermediates: string;
  readonly numbers: readonly number[];
  readonly colons: number;
  readonly isFull: boolean;
  readonly isMalformed: boolean;
}

/** Between introducer and final character. */
export class Csi {
  #prefix = "";
  #intermediates = "";
  readonly #numbers: number[] = [OMITTED];
  /** Bit per parameter: joined to the one before by a colon. */
  #colons = 0;
  /** Parameters were dropped. */
  #isFull = false;
  #isMalformed = false;

  constructor(state?: CsiState) {
    if (!state) return;
    this.#prefix = state.prefix;
    this.#intermediates = state.intermediates;
    this.#numbers.splice(0, 1, ...state.numbers);
    this.#colons = state.colons;
    this.#isFull = state.isFull;
    this.#isMalformed = state.isMalformed;
  }

  get isMalformed(): boolean {
    return this.#isMalformed;
  }

  /** At least one: a sequence without parameters has an omitted one. */
  get length(): number {
    return this.#numbers.length;
  }

  begin(): void {
    this.#prefix = "";
    this.#intermediates = "";
    this.#numbers.length = 1;
    this.#numbers[0] = OMITTED;
    this.#colons = 0;
    this.#isFull = false;
    this.#isMalformed = false;
  }

  addDigit(digit: number): void {
    if (this.#intermediates !== "") this.#isMalformed = true;
    if (this.#isFull) return;
    const last = this.#numbers.length - 1;
    const number = Math.max(0, this.#numbers[last] ?? 0) * 10 + digit;
    this.#numbers[last] = Math.min(number, MAX_PARAMETER);
  }

  addSeparator(isColon: boolean): void {
    if (this.#intermediates !== "") this.#isMalformed = true;
    this.#isFull ||= this.#numbers.length === MAX_PARAMETERS;
    if (this.#isFull) return;
    if (isColon) this.#colons |= 1 << this.#numbers.length;
    this.#numbers.push(OMITTED);
  }

  addPrefix(prefix: string): void {
    const isFirst = this.#numbers.length === 1 && this.#numbers[0] === OMITTED;
    if (isFirst && this.#prefix === "" && this.#intermediates === "") this.#prefix = prefix;
    else this.#isMalformed = true;
  }

  addIntermediate(intermediate: string): void {
    if (this.#intermediates.length < MAX_INTERMEDIATES) this.#intermediates += intermediate;
    else this.#isMalformed = true;
  }

  /** Prefix, intermediates and final character. */
  nameWith(final: string): string {
    return this.#prefix + this.#intermediates + final;
  }

  /** `fallback` for an omitted one. */
  number(at: number, fallback: number): number {
    const number = this.#numbers[at] ?? OMITTED;
    return number === OMITTED ? fallback : number;
  }

  /** 0 and omitted mean 1. */
  count(at: number): number {
    return Math.max(1, this.number(at, 1));
  }

  /** End of the parameters that colons joined to this one. */
  endOfGroup(at: number): number {
    let end = at + 1;
    while (end < this.#numbers.length && (this.#colons & (1 << end)) !== 0) end++;
    return end;
  }

  toState(): CsiState {
    return {
      prefix: this.#prefix,
      intermediates: this.#intermediates,
      numbers: [...this.#numbers],
      colons: this.#colons,
      isFull: this.#isFull,
      isMalformed: this.#isMalformed,
    };
  }
}

/** Called in the order of the output. */
export interface VtHandler {
  /** One UTF-16 unit and one column per character. */
  handleText(text: string): void;
  handleCharacter(codePoint: number): void;
  /** C0, or C1 in either form. */
  handleControl(code: number): void;
  /** Intermediates and final character; not a C1 control. */
  handleEscape(name: string): void;
  /** Prefix, intermediates and final character. */
  handleCsi(name: string, csi: Csi): void;
}

/** `string`: a control string whose content is ignored; `osc`: one that BEL also ends. */
export const PARSER_PHASES = ["ground", "escape", "csi", "osc", "string"] as const;
type ParserPhase = (typeof PARSER_PHASES)[number];

/** Between two characters. */
export interface ParserState {
  readonly phase: ParserPhase;
  readonly intermediates: string;
  readonly csi?: CsiState | undefined;
}

const BEL = 0x07;
const CAN = 0x18;
const SUB = 0x1a;
const ESC = 0x1b;
const DEL = 0x7f;
const ST = 0x9c;

/** C1 controls that introduce a sequence. */
const INTRODUCERS = new Map<number, ParserPhase>([
  [0x90, "string"], // DCS
  [0x98, "string"], // SOS
  [0x9b, "csi"],
  [0x9d, "osc"],
  [0x9e, "string"], // PM
  [0x9f, "string"], // APC
]);

/** From here on a character is neither a control nor part of a sequence. */
const FIRST_AFTER_CONTROLS = 0xa0;

/** Finds text, controls and sequences, independent of chunking; linear, keeps no text. */
export class VtParser {
  readonly #handler: VtHandler;
  readonly #csi: Csi;
  #phase: ParserPhase;
  #intermediates: string;

  constructor(handler: VtHandler, state?: ParserState) {
    this.#handler = handler;
    this.#phase = state?.phase ?? "ground";
    this.#intermediates = state?.intermediates ?? "";
    this.#csi = new Csi(state?.csi);
  }

  /** No sequence is open. */
  get isInGround(): boolean {
    return this.#phase === "ground";
  }

  parse(text: string): void {
    for (let at = 0; at < text.length;) {
      switch (this.#phase) {
        case "ground":
          at = this.#parseGround(text, at);
          break;
        case "escape":
          at = this.#parseEscape(text, at);
          break;
        case "csi":
          at = this.#parseCsi(text, at);
          break;
        case "osc":
        case "string":
          at = this.#skipString(text, at);
          break;
      }
    }
  }

  /** Forgets an unfinished sequence. */
  reset(): void {
    this.#phase = "ground";
  }

  toState(): ParserState {
    const state = { phase: this.#phase, intermediates: this.#intermediates };
    return this.#phase === "csi" ? { ...state, csi: this.#csi.toState() } : state;
  }

  #parseGround(text: string, from: number): number {
    for (let at = from; at < text.length;) {
      const end = endOfNarrowRun(text, at);
      if (end > at) this.#handler.handleText(text.slice(at, end));
      if (end === text.length) return end;
      const code = text.codePointAt(end) ?? 0;
      if (code >= FIRST_AFTER_CONTROLS) {
        this.#handler.handleCharacter(code);
        at = end + (code > 0xffff ? 2 : 1);
      } else {
        this.#handleControl(code);
        at = end + 1;
        if (this.#phase !== "ground") return at;
      }
    }
    return text.length;
  }

  #parseEscape(text: string, from: number): number {
    for (let at = from; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (code < 0x20 || code >= DEL) {
        if (code >= FIRST_AFTER_CONTROLS) return this.#abort(at);
        this.#handleControl(code);
        if (this.#phase !== "escape" || code === ESC) return at + 1;
      } else if (code < 0x30) {
        if (this.#intermediates.length < MAX_INTERMEDIATES) this.#intermediates += text[at];
      } else {
        this.#phase = "ground";
        if (this.#intermediates === "" && code >= 0x40 && code < 0x60) this.#handleC1(code + 0x40);
        else this.#handler.handleEscape(`${this.#intermediates}${text[at]}`);
        return at + 1;
      }
    }
    return text.length;
  }

  #parseCsi(text: string, from: number): number {
    const csi = this.#csi;
    for (let at = from; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (code >= 0x30 && code < 0x3a) csi.addDigit(code - 0x30);
      else if (code === 0x3a || code === 0x3b) csi.addSeparator(code === 0x3a);
      else if (code >= 0x40 && code < DEL) {
        this.#phase = "ground";
        if (!csi.isMalformed) this.#handler.handleCsi(csi.nameWith(text[at] ?? ""), csi);
        return at + 1;
      } else if (code < 0x20 || code >= DEL) {
        if (code >= FIRST_AFTER_CONTROLS) return this.#abort(at);
        this.#handleControl(code);
        if (this.#phase !== "csi") return at + 1;
      } else if (code < 0x30) csi.addIntermediate(text[at] ?? "");
      else csi.addPrefix(text[at] ?? "");
    }
    return text.length;
  }

  #skipString(text: string, from: number): number {
    for (let at = from; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (code === ESC) {
        this.#handleControl(code);
        return at + 1;
      }
      if (code === CAN || code === SUB || code === ST || (code === BEL && this.#phase === "osc")) {
        return this.#abort(at + 1);
      }
    }
    return text.length;
  }

  #handleControl(code: number): void {
    if (code === ESC) {
      this.#phase = "escape";
      this.#intermediates = "";
    } else if (code === CAN || code === SUB) {
      this.#phase = "ground";
    } else if (code > DEL) {
      this.#phase = "ground";
      this.#handleC1(code);
    } else if (code !== DEL) {
      this.#handler.handleControl(code);
    }
  }

  #handleC1(code: number): void {
    const phase = INTRODUCERS.get(code);
    if (!phase) return this.#handler.handleControl(code);
    this.#phase = phase;
    if (phase === "csi") this.#csi.begin();
  }

  #abort(at: number): number {
    this.#phase = "ground";
    return at;
  }
}
