// What a program wrote, as it may be shown in somebody's own terminal: without what would make that terminal type answers, since the host has answered already.

// Which sequences make a terminal answer, or send reports by itself, as if its user had typed them.

/** Control sequences that are questions, by what follows `ESC [`. */
const ASKING_CONTROLS: readonly RegExp[] = [
  /** What the terminal is, which state it has, and where the cursor stands. */
  /^[^>]*n$|c$/,
  /** Modes, version, settings, checksums, tab stops, fonts and the rest of what can be asked for. */
  /\$[puw]$|^>[\d;]*q$|^\?[\d;]*[uSm]$|^[\d;]*x$|\*y$|["&+#'][uvwR|]$/,
  /** Everything about the window, but for keeping its title and bringing it back. */
  /^(?!2[23](?:;[\d;]*)?t$).*t$/,
];

/** Whether a terminal answers a sequence. */
function isAsking(body: string): boolean {
  if (!body.startsWith("]")) return ASKING_CONTROLS.some((form) => form.test(shortOf(body)));
  // Titles, links, directories and messages may have question marks in them, and nobody answers those.
  if (/^\](?:[0127]|8|9|66|133|633|777);/.test(body)) return false;
  // Elsewhere a question mark stands where a value would.
  return body.includes("?") || /^\]1337;(?:Report|Request|Capabilities)/i.test(body);
}

/** Strings that are shown however long they are: pictures, and what is copied. */
function lastingString(body: string): boolean {
  if (body.startsWith("]52;")) return !/^\]52;[^;]*;\?/.test(body);
  return /^\]1337;(?:File|MultipartFile|FilePart|FileEnd)\b/.test(body) || /^P[\d;]*q/.test(body);
}

/** Modes in which a terminal reports its size and its colours by itself; the host does not know them, so no program counts on them. */
const REPORTING_MODES: ReadonlySet<string> = new Set(["2031", "2048", "5522"]);

/** A sequence without those modes. */
function withoutReporting(body: string): string {
  if (!/^\?[\d;]*[hl]$/.test(body)) return body;
  const modes = body.slice(1, -1).split(";");
  const left = modes.filter((mode) => !REPORTING_MODES.has(mode));
  return left.length === modes.length ? body : `?${left.join(";") || "0"}${body.at(-1) ?? ""}`;
}

/** Control characters inside of a sequence do not change what it means. */
// oxlint-disable-next-line no-control-regex
const shortOf = (body: string): string => body.replaceAll(/[\x00-\x1f]/g, "");

/** A sequence that is longer than this is not a question; it is shown or skipped by how it begins. */
const MAX_HELD_BYTES = 8 * 1024;

// oxlint-disable-next-line no-control-regex
const INTRODUCER = /\x05|\x1b|\xc2[\x80-\x9f]/g;

// oxlint-disable-next-line no-control-regex
const CONTROL = /[\x00-\x17\x19\x1c-\x3f]*/y;

// oxlint-disable-next-line no-control-regex
const STRING_END = /\x07|\x18|\x1a|\x1b|\xc2\x9c/g;

// oxlint-disable-next-line no-control-regex
const ESCAPE = /[\x20-\x2f]*[\x30-\x7e]/y;

/** What follows an introducer: the kind of sequence, or a part that has to be waited for. */
type Kind = "control" | "string" | "other";

/** One sequence in a text, where it ends and what is shown of it; nothing while its end has not come. */
interface Sequence {
  readonly end: number;
  readonly shown: string;
}

/** Takes questions out of the output of one program, wherever its pieces are cut. */
export class ProgramOutput {
  /** The beginning of a sequence whose end has not come yet; one letter per byte. */
  #held = "";
  /** Whether a string goes on that is not shown. */
  #isSkipping = false;
  #isAlternate = false;
  #countsFromMargin = false;
  #lastShown = "";

  /** Whether the program shows the alternate screen. */
  get isAlternate(): boolean {
    return this.#isAlternate;
  }

  /** Whether the rows that the program names are counted from the margin that it set. */
  get countsFromMargin(): boolean {
    return this.#countsFromMargin;
  }

  /** Whether something else may be written here without cutting a sequence or a letter in two. */
  get isWhole(): boolean {
    return this.#held === "" && !this.#isSkipping && !endsInLetter(this.#lastShown);
  }

  /** What may be shown of the next bytes. */
  push(bytes: Uint8Array): Uint8Array {
    const piece = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const text = this.#held + piece.toString("latin1");
    INTRODUCER.lastIndex = 0;
    const isPlain = !this.#isSkipping && !INTRODUCER.test(text) && !text.endsWith("\xc2");
    const shown = isPlain ? text : this.#filter(text);
    if (isPlain) this.#held = "";
    if (shown !== "") this.#lastShown = shown.slice(-3);
    return isPlain && text.length === piece.length ? piece : Buffer.from(shown, "latin1");
  }

  #filter(text: string): string {
    this.#held = "";
    const shown: string[] = [];
    let at = 0;
    if (this.#isSkipping) {
      const end = stringEnd(text, 0);
      if (end === undefined) return this.#hold(text.endsWith("\x1b") ? "\x1b" : "");
      this.#isSkipping = false;
      at = end;
    }
    for (;;) {
      INTRODUCER.lastIndex = at;
      const found = INTRODUCER.exec(text);
      if (!found) break;
      shown.push(text.slice(at, found.index));
      const sequence = this.#sequence(text, found.index, found[0]);
      if (!sequence) {
        shown.push(this.#keep(text.slice(found.index)));
        return shown.join("");
      }
      shown.push(sequence.shown);
      at = sequence.end;
    }
    // The next byte says whether this is a letter or an introducer.
    const isCut = text.endsWith("\xc2") && at < text.length;
    shown.push(isCut ? text.slice(at, -1) : text.slice(at));
    if (isCut) this.#held = "\xc2";
    return shown.join("");
  }

  /** Keeps the beginning of a sequence; of one that is too long, gives what is shown of it. */
  #keep(part: string): string {
    if (part.length <= MAX_HELD_BYTES) return this.#hold(part);
    const [, body] = introduced(part);
    if (lastingString(body)) return part;
    this.#isSkipping = true;
    return "";
  }

  #hold(part: string): string {
    this.#held = part;
    return "";
  }

  #sequence(text: string, at: number, introducer: string): Sequence | undefined {
    if (introducer === "\x05") return { end: at + 1, shown: "" };
    const [kind, , length] = introduced(text.slice(at, at + 3));
    if (kind === undefined) return undefined;
    const start = at + length;
    switch (kind) {
      case "control":
        return this.#control(text, at, start);
      case "string":
        return this.#string(text, at, start);
      case "other":
        return this.#escape(text, at, start - 1);
    }
  }

  #control(text: string, at: number, start: number): Sequence | undefined {
    CONTROL.lastIndex = start;
    CONTROL.test(text);
    const last = CONTROL.lastIndex;
    if (last >= text.length) return undefined;
    const final = text.charCodeAt(last);
    // Something else begins here: this was no sequence, and terminals forget it too.
    if (final < 0x40 || final > 0x7e) return { end: last, shown: "" };
    const body = text.slice(start, last + 1);
    if (isAsking(body)) return { end: last + 1, shown: "" };
    this.#noteScreen(body);
    return { end: last + 1, shown: text.slice(at, start) + withoutReporting(body) };
  }

  #string(text: string, at: number, start: number): Sequence | undefined {
    const end = stringEnd(text, start);
    if (end === undefined) return undefined;
    const [, body] = introduced(text.slice(at, end));
    return { end, shown: isShownString(body) ? text.slice(at, end) : "" };
  }

  #escape(text: string, at: number, start: number): Sequence | undefined {
    ESCAPE.lastIndex = start;
    if (ESCAPE.test(text)) {
      const end = ESCAPE.lastIndex;
      const sequence = text.slice(at, end);
      if (sequence === "\x1bc") this.#isAlternate = this.#countsFromMargin = false;
      return { end, shown: isIdentify(sequence) ? "" : sequence };
    }
    // oxlint-disable-next-line no-control-regex
    if (/^[\x20-\x2f]*$/.test(text.slice(start))) return undefined;
    return { end: at + 1, shown: "" };
  }

  #noteScreen(body: string): void {
    if (!/^\?[\d;]*[hl]$/.test(body)) return;
    const modes = body.slice(1, -1).split(";");
    if (modes.includes("6")) this.#countsFromMargin = body.endsWith("h");
    if (modes.some((mode) => /^(?:47|1047|1049)$/.test(mode))) {
      this.#isAlternate = body.endsWith("h");
    }
  }
}

/** Asks for the kind of the terminal, in its old spelling. */
const isIdentify = (sequence: string): boolean => sequence === "\x1bZ" || sequence === "\xc2\x9a";

/** Of other strings than titles, colours, links and the like, only pictures are shown: they may carry questions to whatever lies behind the terminal. */
const isShownString = (body: string): boolean =>
  lastingString(body) || (body.startsWith("]") && !body.startsWith("]52;") && !isAsking(body));

/** The kind of a sequence, its text from the letter that says it, and how long its introducer is; no kind where that letter has not come. */
function introduced(text: string): [kind: Kind | undefined, body: string, length: number] {
  const isLong = text.startsWith("\xc2");
  if (text.length < 2) return [undefined, "", 0];
  // The short spelling of ESC and a letter is a control character 0x40 above it.
  const letter = isLong ? String.fromCharCode(text.charCodeAt(1) - 0x40) : text.charAt(1);
  const body = letter + text.slice(2);
  if (letter === "[") return ["control", body, 2];
  if ("]P_^X".includes(letter)) return ["string", body, 2];
  return ["other", body, 2];
}

/** Where a string ends, with what ends it; nothing where its end, or the second half of it, has not come. */
function stringEnd(text: string, start: number): number | undefined {
  STRING_END.lastIndex = start;
  const found = STRING_END.exec(text);
  if (!found) return undefined;
  if (found[0] !== "\x1b") return found.index + found[0].length;
  if (found.index + 1 >= text.length) return undefined;
  // Any other sequence ends the string too, and is read by itself.
  return text.charAt(found.index + 1) === "\\" ? found.index + 2 : found.index;
}

/** Whether the last bytes begin a letter of UTF-8 that they do not end. */
function endsInLetter(bytes: string): boolean {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes.charCodeAt(bytes.length - back);
    if (byte < 0x80) return false;
    if (byte >= 0xc0) return back < (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2);
  }
  return false;
}
