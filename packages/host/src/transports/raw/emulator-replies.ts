const QUERY = Buffer.from("\u001b[6n");

/** An emulator answers as soon as it has drawn the question; what looks like an answer later was typed. */
const ANSWERING_MS = 2000;

/** Knows whether a viewer's emulator was asked for the cursor's place, because its answer can look like a key. */
export class CursorQueries {
  readonly #now: () => number;
  #unanswered = 0;
  #askedAtMs = 0;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Looks through output on its way to the viewer. */
  note(output: Uint8Array): void {
    const bytes = Buffer.from(output.buffer, output.byteOffset, output.byteLength);
    for (let at = bytes.indexOf(QUERY); at !== -1; at = bytes.indexOf(QUERY, at + QUERY.length)) {
      if (this.#isOver) this.#unanswered = 0;
      this.#unanswered++;
      this.#askedAtMs = this.#now();
    }
  }

  /** Whether input is nothing but answers of the viewer's emulator. */
  isReply(input: Uint8Array): boolean {
    const kind = classifyReply(input);
    if (kind !== "maybeReply") return kind === "reply";
    if (this.#unanswered === 0 || this.#isOver) return false;
    this.#unanswered--;
    return true;
  }

  get #isOver(): boolean {
    return this.#now() - this.#askedAtMs > ANSWERING_MS;
  }
}

// Which input is nothing but answers of an emulator: every viewer's emulator answers what a program asks, and the host has answered already.

const ESC = 0x1b;
const BEL = 0x07;

/** Longer answers are not looked at to their end: no emulator gives them. */
const MAX_REPLY_BYTES = 4096;

/** How strings begin that emulators answer with, by the letter that introduces a string. */
const STRING_REPLIES: Readonly<Record<string, RegExp>> = {
  /** Settings, capabilities, version, unit and checksums. */
  P: /^(?:[01]\$r|[01]\+r|>\||!\||\d*!~)/,
  /** Colours, the clipboard and titles. */
  "]": /^(?:(?:4|5|1[0-9]);(?:\d+;)?rgba?:|52;|[lL])/,
  /** Pictures. */
  _: /^G/,
};

/** What a frame of input may be beside something that was typed. */
export type ReplyKind = "none" | "reply" | "maybeReply";

/**
 * Tells whether input consists of answers alone. A cursor's place in the first row looks like F3 with modifiers;
 * only who knows whether the place was asked for can tell, so input with such an answer is `maybeReply`.
 */
export function classifyReply(input: Uint8Array): ReplyKind {
  if (input[0] !== ESC) return "none";
  let kind: ReplyKind = "none";
  for (let at = 0; at < input.length;) {
    const reply = parseReply(input, at);
    if (!reply) return "none";
    if (kind !== "maybeReply") kind = reply.isKey ? "maybeReply" : "reply";
    at = reply.end;
  }
  return kind;
}

interface ParsedReply {
  readonly end: number;
  /** Whether a key could have sent it as well. */
  readonly isKey: boolean;
}

function parseReply(input: Uint8Array, at: number): ParsedReply | undefined {
  if (input[at] !== ESC) return undefined;
  const start = at + 2;
  const introducer = String.fromCharCode(input[at + 1] ?? 0);
  if (introducer === "[") return parseCsiReply(input, start);
  const form = STRING_REPLIES[introducer];
  return form && parseStringReply(input, start, form);
}

/** A control sequence, which is read byte by byte: parameters, intermediates, and a final byte. */
function parseCsiReply(input: Uint8Array, start: number): ParsedReply | undefined {
  let end = start;
  while (isBetween(input[end], 0x20, 0x3f)) end++;
  const final = input[end];
  if (!isBetween(final, 0x40, 0x7e) || end - start > MAX_REPLY_BYTES) return undefined;
  const text = latin1(input, start, end + 1);
  if (!CSI_REPLY.test(text)) return undefined;
  return { end: end + 1, isKey: FIRST_ROW_REPORT.test(text) };
}

/** Attributes, status, place, modes, extents, keyboard flags and parameters; no key ends with these letters in these forms. */
const CSI_REPLY =
  /^(?:[?>=][\d;]*c|\??[\d;]*n|\??\d+;\d+R|\?\d+;\d+;\d+R|\??\d+;\d+\$y|[\d;]+t|\?\d*u|>\d+;\d+m|[23](?:;\d+)+x)$/;

/** Keys with modifiers are told as 1 and the modifiers plus one, up to all eight of them. */
const FIRST_ROW_REPORT = /^1;(?:[2-9]|[1-9]\d|1\d\d|2[0-4]\d|25[0-6])R$/;

function parseStringReply(input: Uint8Array, start: number, form: RegExp): ParsedReply | undefined {
  const limit = Math.min(input.length, start + MAX_REPLY_BYTES);
  for (let at = start; at < limit; at++) {
    const isString = input[at] === ESC && input[at + 1] === 0x5c;
    if (!isString && input[at] !== BEL) {
      if (input[at] === ESC) return undefined;
      continue;
    }
    if (!form.test(latin1(input, start, at))) return undefined;
    return { end: isString ? at + 2 : at + 1, isKey: false };
  }
  return undefined;
}

const isBetween = (byte: number | undefined, low: number, high: number): boolean =>
  byte !== undefined && byte >= low && byte <= high;

const latin1 = (bytes: Uint8Array, start: number, end: number): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString("latin1");
