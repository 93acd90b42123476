import { MAX_COMMAND_LINE_LENGTH } from "@nacre/contracts";

interface LineRange {
  readonly first: number;
  readonly last: number;
}

/** Normal form for comparing: shell histories join lines with `;` and drop white space. */
const looseForm = (text: string): string =>
  text.replaceAll(/\\\r?\n/g, "").replaceAll(/[\s;]+/g, "");

const isComment = (line: string): boolean => line.trimStart().startsWith("#");

/** Ends in an unescaped backslash. */
function isContinued(line: string): boolean {
  let backslashes = 0;
  while (line.at(-1 - backslashes) === "\\") backslashes++;
  return backslashes % 2 === 1;
}

/**
 * Finds the fewest lines from `start` that a shell reports as one command line. Ignores differences in white space, `;`
 * and line breaks, and comment-only lines.
 */
export function findSameLines(
  lines: readonly string[],
  reported: string,
  start = 0,
): LineRange | undefined {
  const wanted = looseForm(reported);
  if (wanted === "") return undefined;
  let first: number | undefined;
  let matched = 0;
  for (let index = start; index < lines.length; index++) {
    const line = lines[index] ?? "";
    const loose = looseForm(`${line}\n`);
    if (first === undefined && loose === "") continue;
    if (!wanted.startsWith(loose, matched)) {
      if (first !== undefined && isComment(line)) continue;
      return undefined;
    }
    first ??= index;
    matched += loose.length;
    const needsMore = isContinued(line) && index + 1 < lines.length;
    if (matched === wanted.length && !needsMore) return { first, last: index };
  }
  return undefined;
}

/** Whether a shell may report `line` as `reported`. */
export function isSameLine(line: string, reported: string): boolean {
  const lines = line.split("\n");
  const found = findSameLines(lines, reported);
  return found !== undefined && lines.slice(found.last + 1).every((rest) => rest.trim() === "");
}

/** Longer text cannot be a command line and is forgotten. */
const MAX_TYPED_LENGTH = 2 * MAX_COMMAND_LINE_LENGTH;

/** How many typed-ahead lines are tried as the start of a command; a running program reads most of them. */
const MAX_AHEAD_LINES = 64;

/** Stands for unknown text, as after an arrow key; no shell reports a line that contains NUL. */
const UNKNOWN = "\0";

const PASTE_BEGINS = "\x1b[200~";
const PASTE_ENDS = "\x1b[201~";

/** Text that a shell inserts literally. */
// oxlint-disable-next-line no-control-regex -- telling keys from text is the purpose
const PLAIN_TEXT = /[^\u0000-\u001f\u007f-\u009f\ufffd]+/y;

/** The end of a grapheme cluster that shells erase in different ways. */
const JOINED_END = /(?:[\p{M}\p{Emoji_Modifier}\p{Regional_Indicator}\u200d]|\u200d.)$/u;

/** Longest match of `JOINED_END`. */
const JOINED_END_LENGTH = 4;

interface InputEffect {
  readonly submitted: number;
  /** Ctrl-C: everything typed so far is void. */
  readonly interrupted: boolean;
}

/** Models the edited command line from the typed keys, as far as keys alone tell. */
export class TypedLineModel {
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  /** Submitted lines without a known command; a pasted one may contain line breaks. */
  #lines: string[] = [];
  #current = "";
  #length = 0;
  /** A partial key sequence that may become a bracketed-paste marker. */
  #pendingKey = "";
  #isPasting = false;
  /** Typed before the prompt: whole lines, then the length of the partial one. */
  #aheadLines = 0;
  #aheadLength = 0;
  /** A prompt was drawn and nothing submitted since: a redraw is the same prompt. */
  #isAtPrompt = false;

  /** Input in sending order; may be split anywhere. */
  feed(bytes: Uint8Array): InputEffect {
    const text = this.#pendingKey + this.#decoder.decode(bytes, { stream: true });
    this.#pendingKey = "";
    let submitted = 0;
    let interrupted = false;
    for (let position = 0; position < text.length;) {
      PLAIN_TEXT.lastIndex = position;
      const plain = PLAIN_TEXT.exec(text)?.[0];
      if (plain !== undefined) {
        this.#insert(plain);
        position += plain.length;
        continue;
      }
      const key = text.charAt(position);
      if (key === "\x1b") {
        position += this.#handleEscape(text, position);
        continue;
      }
      position++;
      if (this.#isPasting) this.#insertPasted(key);
      else if (key === "\r" || key === "\n") {
        this.#submit();
        submitted++;
      } else if (key === "\x03") {
        this.clear();
        interrupted = true;
      } else if (key === "\x7f" || key === "\b") this.#erase();
      else if (key === "\x15") this.#discard();
      else this.#insert(UNKNOWN);
    }
    return { submitted, interrupted };
  }

  /** Input that must not be kept, such as a password: drops everything typed. */
  noteHidden(): void {
    this.clear();
    this.#insert(UNKNOWN);
  }

  /** Later input is typed at this prompt; earlier input was meant for it or for another program. */
  startPrompt(): void {
    if (this.#isAtPrompt) return;
    this.#isAtPrompt = true;
    this.#aheadLines = this.#lines.length;
    this.#aheadLength = this.#current.length;
  }

  /**
   * The line may have begun before its prompt: text was typed that no known program read. Keys without text do not
   * count; those go to programs.
   */
  get beganAhead(): boolean {
    const ahead = (this.#lines[this.#aheadLines] ?? this.#current).slice(0, this.#aheadLength);
    return ahead !== "" && !ahead.includes(UNKNOWN);
  }

  /** Text typed before the prompt that may stand there now. */
  get ahead(): string {
    if (!this.#isAtPrompt || this.#lines.length !== this.#aheadLines) return "";
    const ahead = this.#current.slice(0, this.#aheadLength);
    return ahead.slice(ahead.lastIndexOf(UNKNOWN) + 1);
  }

  /** Removes and returns the typed text that matches this reported line; earlier text is dropped with it. */
  takeReported(reported: string): string | undefined {
    const atPrompt = this.#linesAtPrompt();
    const found = findSameLines(atPrompt, reported);
    if (found) return this.#take(atPrompt, found, this.#aheadLines);
    const starts = Math.min(this.#aheadLines, MAX_AHEAD_LINES);
    for (const start of [this.#aheadLines, ...Array(starts).keys()]) {
      const ahead = findSameLines(this.#lines, reported, start);
      if (ahead) return this.#take(this.#lines, ahead, 0);
    }
    return undefined;
  }

  /** Removes and returns the first lines typed at the prompt; undefined where they are unknown. */
  takeLines(count: number): string | undefined {
    const lines = this.#linesAtPrompt().slice(0, count);
    this.#forget(this.#aheadLines + count);
    const line = lines.join("\n");
    return lines.length < count || line.includes(UNKNOWN) ? undefined : line;
  }

  clear(): void {
    this.#lines = [];
    this.#current = "";
    this.#length = 0;
    this.#pendingKey = "";
    this.#isPasting = false;
    this.#isAtPrompt = false;
    this.#aheadLines = 0;
    this.#aheadLength = 0;
  }

  #linesAtPrompt(): readonly string[] {
    const [first, ...rest] = this.#lines.slice(this.#aheadLines);
    return first === undefined ? [] : [first.slice(this.#aheadLength), ...rest];
  }

  #take(lines: readonly string[], { first, last }: LineRange, offset: number): string {
    const line = lines.slice(first, last + 1).join("\n");
    this.#forget(offset + last + 1);
    return line;
  }

  #forget(lineCount: number): void {
    this.#isAtPrompt = false;
    for (const line of this.#lines.splice(0, lineCount)) this.#length -= line.length + 1;
    this.#aheadLines = 0;
    this.#aheadLength = 0;
  }

  /** Returns the number of characters consumed. */
  #handleEscape(text: string, position: number): number {
    const bracket = this.#isPasting ? PASTE_ENDS : PASTE_BEGINS;
    if (text.startsWith(bracket, position)) {
      this.#isPasting = !this.#isPasting;
      return bracket.length;
    }
    const rest = text.slice(position, position + bracket.length);
    if (bracket.startsWith(rest)) {
      this.#pendingKey = rest;
      return rest.length;
    }
    this.#insert(UNKNOWN);
    return 1;
  }

  #insertPasted(key: string): void {
    if (key === "\r" || key === "\n") this.#insert("\n");
    else this.#insert(key === "\t" ? key : UNKNOWN);
  }

  #insert(text: string): void {
    if (this.#length + text.length > MAX_TYPED_LENGTH) {
      this.#forget(this.#lines.length);
      this.#current = UNKNOWN;
      this.#length = UNKNOWN.length;
      return;
    }
    this.#current += text;
    this.#length += text.length;
  }

  #submit(): void {
    // The line break counts, too: empty lines must not grow without bound.
    if (this.#length >= MAX_TYPED_LENGTH) this.#forget(this.#lines.length);
    this.#isAtPrompt = false;
    this.#lines.push(this.#current);
    this.#current = "";
    this.#length++;
  }

  #erase(): void {
    const end = this.#current.slice(-JOINED_END_LENGTH);
    if (end === "" || end.endsWith(UNKNOWN)) return;
    if (JOINED_END.test(end)) return this.#insert(UNKNOWN);
    const last = end.codePointAt(end.length - 2) ?? 0;
    this.#shorten(this.#current.length - (last > 0xffff ? 2 : 1));
  }

  #discard(): void {
    // Shells differ in how much this erases from several lines or from the middle of a line.
    if (/[\0\n]/.test(this.#current)) this.#insert(UNKNOWN);
    else this.#shorten(0);
  }

  #shorten(length: number): void {
    this.#length -= this.#current.length - length;
    this.#current = this.#current.slice(0, length);
    if (this.#lines.length === this.#aheadLines) {
      this.#aheadLength = Math.min(this.#aheadLength, length);
    }
  }
}

export interface ReportedLine {
  readonly line?: string;
  readonly lineTruncated?: true;
}

export interface KnownLine {
  /** Empty: unknown. */
  readonly line: string;
  /** Announced with `expectLine`. */
  readonly isExpected: boolean;
  readonly isTruncated: boolean;
}

/** Determines the exact line of a command from what was announced, typed and reported. */
export class CommandLineResolver {
  readonly #reportsVerbatim: boolean;
  readonly #typed = new TypedLineModel();
  #reported: ReportedLine | undefined;
  #expected: string | undefined;
  #continuations = 0;

  constructor(reportsVerbatim: boolean) {
    this.#reportsVerbatim = reportsVerbatim;
  }

  expect(line: string | undefined): void {
    this.#expected = line;
  }

  feed(bytes: Uint8Array): InputEffect {
    const input = this.#typed.feed(bytes);
    if (input.interrupted) this.#expected = undefined;
    return input;
  }

  noteHidden(): void {
    this.#typed.noteHidden();
  }

  startPrompt(): void {
    this.#typed.startPrompt();
    this.#continuations = 0;
    this.#reported = undefined;
  }

  /** Text typed before the prompt that may stand there now. */
  get ahead(): string {
    return this.#typed.ahead;
  }

  noteContinuation(): void {
    this.#continuations++;
  }

  report(reported: ReportedLine): void {
    this.#reported = reported;
  }

  /** The shell that was typed to is gone. */
  clear(): void {
    this.#typed.clear();
  }

  /** The line just submitted, for a shell that reports none; undefined when empty. */
  takeSent(): KnownLine | undefined {
    const expected = this.#takeExpected();
    const line = expected ?? this.#typed.takeLines(1);
    if (line?.trim() === "") return undefined;
    return { line: line ?? "", isExpected: expected !== undefined, isTruncated: false };
  }

  /** The line of the command that starts now; some shells report it only at this point. */
  takeStarted(started: ReportedLine): KnownLine {
    const reported = started.line === undefined ? this.#reported : started;
    this.#reported = undefined;
    const known = reported?.line === "" ? undefined : reported?.line;
    const typed = known === undefined ? this.#takeTyped() : this.#typed.takeReported(known);
    // Typed text that does not match was edited; this command consumed it.
    if (typed === undefined) this.#typed.clear();
    const told = known ?? typed;
    const isExpected =
      this.#expected !== undefined && (told === undefined || isSameLine(this.#expected, told));
    const expected = isExpected ? this.#takeExpected() : undefined;
    const verbatim = this.#reportsVerbatim ? known : undefined;
    const line = verbatim ?? expected ?? typed ?? known ?? "";
    return { line, isExpected, isTruncated: line === known && reported?.lineTruncated === true };
  }

  #takeTyped(): string | undefined {
    const beganAhead = this.#typed.beganAhead;
    const typed = this.#typed.takeLines(this.#continuations + 1);
    return beganAhead ? undefined : typed;
  }

  #takeExpected(): string | undefined {
    const expected = this.#expected;
    this.#expected = undefined;
    if (expected !== undefined) this.#typed.clear();
    return expected;
  }
}
