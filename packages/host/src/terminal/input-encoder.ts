import { setTimeout as wait } from "node:timers/promises";
import { type Caller, decodeBytes, NacreError, type TerminalSendInputData } from "@nacre/contracts";
import type { OutputParser } from "../shell/output-parser.ts";
import { encodeKeys, encodePaste } from "./keys.ts";
import { requireEmptyLine, requireOneLine } from "./run-command.ts";
import type { InputMessage, InputWriter, TypeOptions } from "./input-writer.ts";
import type { ShellActivityTracker } from "./shell-activity-tracker.ts";

const ENTER = Buffer.from("\r");

/** How long a shell may take to ask for pastes in brackets, on a busy machine. */
const BRACKETED_PASTE_WAIT_MS = 500;

/** How often it is looked whether it did. */
const BRACKETED_PASTE_POLL_MS = 5;

interface InputEncoderDeps {
  readonly inputWriter: InputWriter;
  readonly parser: OutputParser;
  readonly detection: ShellActivityTracker;
}

/** Who has a say in what is typed. */
export interface InputHooks {
  /** Throws when this may not be typed. */
  check(options: TypeOptions): void;
  /** Is told that the program has something that was typed, and that is no answer to a question. */
  handleTyped(bytes: Uint8Array, by: Caller): void;
}

/** Turns what callers want typed into bytes, in the way that the program asked for. */
export class InputEncoder {
  readonly #deps: InputEncoderDeps;
  readonly #hooks: InputHooks;
  /** Whether the shell asked for pastes in brackets when it last got a line. */
  #hasBrackets = false;

  constructor(deps: InputEncoderDeps, hooks: InputHooks) {
    this.#deps = deps;
    this.#hooks = hooks;
  }

  /** Types what a request says: bytes, text, or keys by name. */
  async send(input: TerminalSendInputData, options: TypeOptions): Promise<void> {
    const { data, encoding, literal, keys } = input;
    if (keys !== undefined) await this.sendKeys(keys, options);
    else if (data !== undefined && literal === false) await this.sendKeys([data], options);
    else if (data !== undefined) await this.write(decodeBytes({ data, encoding }), options);
  }

  async write(data: string | Uint8Array, options: TypeOptions): Promise<void> {
    await this.#type(typeof data === "string" ? Buffer.from(data) : data, options);
  }

  async sendKeys(keys: readonly string[], options: TypeOptions): Promise<void> {
    const bytes = encodeKeys(keys, this.#deps.parser.modes);
    await this.#type(bytes, { ...options, literal: false });
  }

  async paste(text: string, options: TypeOptions): Promise<void> {
    await this.#type(encodePaste(text, this.#deps.parser.modes.bracketedPaste), options);
  }

  /** Hands a command line to the shell as one command, and announces it. */
  async submit(commandLine: string, by: Caller): Promise<void> {
    if (this.#hasBrackets || hasControlCharacters(commandLine)) await this.#waitForBracketedPaste();
    const { bracketedPaste } = this.#deps.parser.modes;
    this.#hasBrackets = bracketedPaste;
    requireOneLine(commandLine, bracketedPaste);
    const { detection } = this.#deps;
    await detection.findTypedAhead();
    const begin = (): void => {
      requireEmptyLine(detection.isLineOpen);
      detection.expectLine(commandLine);
    };
    const paste = encodePaste(commandLine, bracketedPaste);
    await this.#type(Buffer.concat([paste, ENTER]), { by, begin });
  }

  /** A shell asks for pastes in brackets right behind its prompt; one that does not do so soon never does. */
  async #waitForBracketedPaste(): Promise<void> {
    const { parser } = this.#deps;
    const deadline = performance.now() + BRACKETED_PASTE_WAIT_MS;
    while (!parser.modes.bracketedPaste && performance.now() < deadline)
      await wait(BRACKETED_PASTE_POLL_MS);
  }

  async #type(
    bytes: Uint8Array,
    options: TypeOptions & Pick<InputMessage, "literal" | "begin">,
  ): Promise<void> {
    const { by, epoch: _, askedBy, expects, ...rest } = options;
    const isAnswer = askedBy !== undefined || expects !== undefined;
    if (isAnswer) requireAnswerLine(bytes, options);
    const how = expects === "secret" ? { ...rest, sensitive: true, hidden: true } : rest;
    const check = (): void => this.#hooks.check(options);
    check();
    // The only copy in this thread: callers may use their bytes again, and these become the recording's.
    const own = new Uint8Array(bytes);
    await this.#deps.inputWriter.type({
      bytes: own,
      by: by.id,
      check,
      isAnswer,
      ...how,
    });
    if (askedBy === undefined) this.#hooks.handleTyped(bytes, by);
  }
}

/** Anything but text: C0, DEL and, in UTF-8, C1. */
// oxlint-disable-next-line no-control-regex -- these are the characters that are meant
const CONTROL = /[\0-\x1f\x7f]|\xc2[\x80-\x9f]/;

/** A line end before the end, behind which a shell would run what follows once the program has its line. */
const LINE_BREAK = /[\r\n]/;

/** Refuses an answer of which the program that asks would read only a part: the shell behind it would run the rest. */
function requireAnswerLine(
  bytes: Uint8Array,
  { askedBy, expects }: Pick<TypeOptions, "askedBy" | "expects">,
): void {
  const line = Buffer.from(bytes)
    .toString("latin1")
    .replace(/\r?\n$|\r$/, "");
  // A program that waits for a key may well be given an arrow.
  const found = (expects === "key" ? LINE_BREAK : CONTROL).exec(line);
  if (!found) return;
  const what = LINE_BREAK.test(found[0]) ? "a line break" : "a control character";
  throw new NacreError(
    "invalid_argument",
    `an answer is typed as one line of text; this has ${what} at byte ${found.index}`,
    {
      field: askedBy ? "text" : "data",
      suggestion:
        "Nothing was typed: the program reads one line, and a shell would run the rest. Several lines are typed in `nacre attach`, or with `sendInput` without `expects`.",
    },
  );
}

/** Whether a line has what an editor of lines takes for a key: a tab would complete a word. */
const hasControlCharacters = (commandLine: string): boolean =>
  // oxlint-disable-next-line no-control-regex -- these are the characters that are meant
  /[\0-\x1f\x7f]/.test(commandLine.trimEnd());
