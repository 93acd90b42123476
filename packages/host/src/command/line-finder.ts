import { isSameLine } from "./same-line.ts";
import { TypedLineModel, type InputEffect } from "./typed-line.ts";

/** The line of a command as its shell reports it. */
export interface ReportedLine {
  readonly line?: string;
  readonly lineTruncated?: true;
}

/** The line of a command as far as it is known. */
export interface KnownLine {
  /** Empty where it is not known. */
  readonly line: string;
  /** True for the line that was announced. */
  readonly isExpected: boolean;
  readonly isTruncated: boolean;
}

/** Finds out the exact line of a command, from what was announced, what was typed and what the shell reports. */
export class LineFinder {
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

  /** The shell asks for one more line. */
  noteContinuation(): void {
    this.#continuations++;
  }

  report(reported: ReportedLine): void {
    this.#reported = reported;
  }

  /** Forgets what was typed: it was for a shell that is gone. */
  clear(): void {
    this.#typed.clear();
  }

  /** The line that was just sent off, for a shell that reports none; undefined when it was empty. */
  takeSent(): KnownLine | undefined {
    const expected = this.#takeExpected();
    const line = expected ?? this.#typed.takeLines(1);
    if (line?.trim() === "") return undefined;
    return { line: line ?? "", isExpected: expected !== undefined, isTruncated: false };
  }

  /** The line of the command that starts now; the shell may report it only then. */
  takeStarted(started: ReportedLine): KnownLine {
    const reported = started.line === undefined ? this.#reported : started;
    this.#reported = undefined;
    const known = reported?.line === "" ? undefined : reported?.line;
    const typed = known === undefined ? this.#takeTyped() : this.#typed.takeReported(known);
    // What was typed and does not match was edited, and is used up by this command.
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
