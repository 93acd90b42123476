import { setTimeout as wait } from "node:timers/promises";
import type { CommandId, CommandQuality, InputNeeded } from "@nacre/contracts";
import type {
  CommandFact,
  CommandState,
  ForegroundSignal,
  ResumedCommands,
} from "../command/command-state.ts";
import { SerialQueue } from "../base/serial-queue.ts";
import { CommandTracker } from "../command/command-tracker.ts";
import { InputWatch } from "../command/input-watch.ts";
import { EMPTY_LINE, isDrawn, OPEN_LINE, typeAtPrompt } from "../command/prompt-line.ts";
import { readForegroundShell } from "../command/process-probe.ts";
import { type ForegroundState, readForegroundState } from "../command/foreground-state.ts";
import {
  type AnswerReader,
  decideAnswerReader,
  type InputFacts,
} from "../command/secret-moment.ts";
import { findSilentRead, type SilentRead } from "../command/silent-read.ts";
import type { InputState, Pty, PtyState } from "../pty/pty.ts";
import type { RecordedEntry } from "../recording/recorded-entry.ts";
import type { Integration } from "../shell/integration.ts";
import type { OutputPiece } from "../shell/output-parser.ts";
import type { TerminalModes } from "../shell/terminal-modes.ts";

/** Input for a shell that shows no prompt is not held back longer than this. */
const MAX_START_MS = 2000;

/** Prompts are short: what stands further back is not what a program asks. */
const TAIL_BYTES = 512;

/** How often a shell is looked at that may be about to draw what was typed before its prompt. */
const LOOK_MS = 25;

/** So many looks in a row find it waiting for keys before it has drawn all: what it wrote may be on its way. */
const IDLE_LOOKS = 3;

/** A shell that is not found waiting for keys this long is not looked at any more. */
const MAX_LOOKS = 40;

const NOTHING = new Uint8Array();

export interface ShellActivityTrackerDeps {
  readonly pty: Pty;
  readonly integration?: Integration | undefined;
  /** What the program asked the terminal for. */
  modes(): Pick<TerminalModes, "bracketedPaste" | "alternateScreen">;
  /** What was known in another host, where the shell showed its markers. */
  readonly resumed?: ResumedCommands | undefined;
  /** What it had drawn behind its prompt there. */
  readonly drawnAtPrompt?: Uint8Array | undefined;
  append(fact: CommandFact): Promise<RecordedEntry>;
  /** The newest entry that everybody was told of. */
  lastSequence(): number;
  /** Nothing can be recorded: the tracker's state is outdated, and the program waits for the disk, not for a person. */
  isBlocked(): boolean;
  handleChange(): void;
  readonly handleProblem: (error: unknown) => void;
}

/** Finds out what the shell and the programs of one Terminal do: commands, prompts, and that somebody has to type. */
export class ShellActivityTracker implements Disposable {
  readonly #deps: ShellActivityTrackerDeps;
  readonly #tracker: CommandTracker;
  readonly #watch: InputWatch;
  readonly #ready = Promise.withResolvers<void>();
  readonly #startTimer: NodeJS.Timeout | undefined;
  /** What is known as of what is recorded; the tracker itself is ahead of it. */
  #state: CommandState;
  #prompt: { readonly sequence: number } | undefined;
  #inputNeeded: { readonly sequence: number; readonly needed: InputNeeded } | undefined;
  #tail = NOTHING;
  /** How much was drawn since the prompt ended. */
  #promptBytes = 0;
  /** Keys of a secret were typed one by one, and not yet the one that ends it. */
  #isSecretOpen = false;
  #promptLine = EMPTY_LINE;
  #expectedCommandId: CommandId | undefined;
  #hasReported = false;
  readonly #applying = new SerialQueue();
  #isOver = false;

  constructor(deps: ShellActivityTrackerDeps) {
    this.#deps = deps;
    const { integration } = deps;
    this.#tracker = new CommandTracker({
      quality: integration?.quality ?? "none",
      reportsVerbatim: integration?.shell === "zsh" || integration?.shell === "fish",
      resumed: deps.resumed,
    });
    this.#state = this.#tracker.state;
    this.#watch = new InputWatch({
      look: () => this.#look(),
      onInputNeeded: (found) => {
        const since = new Date().toISOString();
        const editor = found?.lineEditor && { lineEditor: found.lineEditor };
        const needed = found && { kind: found.kind, since, ...editor };
        this.#inputNeeded = needed && { sequence: deps.lastSequence(), needed };
        deps.handleChange();
      },
      onForeground: (signal) => this.#handleForeground(signal),
    });
    if (deps.resumed) this.#resume(deps.resumed, deps.drawnAtPrompt ?? NOTHING);
    const isStarting = integration !== undefined && deps.resumed === undefined;
    if (isStarting) this.#startTimer = setTimeout(this.#ready.resolve, MAX_START_MS).unref();
    else this.#ready.resolve();
  }

  /** Resolves when the shell takes input, or after a while when it does not say. */
  get ready(): Promise<void> {
    return this.#ready.promise;
  }

  /** How the bounds of commands are known now. */
  get quality(): CommandQuality {
    return this.#state.quality;
  }

  /** What it knows of the terminal. */
  get status() {
    return {
      cwd: this.cwd,
      commandDetection: this.quality,
      reportsCommands: this.#hasReported && RELIABLE_QUALITIES.includes(this.quality),
      inputNeeded: this.inputNeeded?.needed,
    };
  }

  /** Whether the shell tells where commands end and how, or may once it has started. */
  get detectsCommands(): boolean {
    const { hasMarkers, quality, phase } = this.#state;
    return hasMarkers || (quality === "none" && phase === "starting");
  }

  get cwd(): string | undefined {
    return this.#state.cwd;
  }

  /** Present while the shell waits for a command line, with the entry that ended the prompt. */
  get prompt(): { readonly sequence: number } | undefined {
    return this.#prompt;
  }

  /** Present while the program waits for somebody to type. */
  get inputNeeded(): { readonly sequence: number; readonly needed: InputNeeded } | undefined {
    return this.#deps.isBlocked() ? undefined : this.#inputNeeded;
  }

  /** The command that began with the line that was announced last. */
  get expectedCommandId(): CommandId | undefined {
    return this.#expectedCommandId;
  }

  /** Announces the line that is about to be submitted, or that it will not come any more. */
  expectLine(line: string | undefined): void {
    this.#tracker.expectLine(line);
  }

  /** Takes a piece of output in its place: what it means is appended right behind it, and counts once it is recorded. */
  handlePiece({ drawn, marker, cwd }: OutputPiece, recorded: Promise<unknown>): void {
    if (drawn.byteLength > 0) {
      this.#keepTail(drawn);
      this.#watch.noteOutput();
    }
    if (cwd !== undefined) void this.#append(this.#tracker.handleUnverifiedCwd(cwd));
    if (!marker) return;
    if (marker.kind === "promptEnd") this.#promptBytes = 0;
    this.#applyAfter(
      this.#append(this.#tracker.handleMarker(marker, performance.now())) ?? recorded,
    );
  }

  /** Takes input right before the program gets it. */
  handleInput(bytes: Uint8Array, isSecret: boolean): void {
    // Where it only may be one, the next key is judged by itself.
    this.#isSecretOpen = isSecret && this.#silentRead !== "possible" && !endsSecret(bytes);
    if (isSecret) this.#tracker.handleHiddenInput();
    const facts = isSecret ? [] : this.#tracker.handleInput(bytes, performance.now());
    this.#watch.noteInput(bytes);
    if (this.#isShellReading) this.#promptLine = typeAtPrompt(this.#promptLine, bytes);
    this.#applyAfter(this.#append(facts));
  }

  /** What is known of the moment in which the line discipline is in this state; of the shell, also what is not recorded yet. */
  facts({ echo, canonical }: Pick<InputState, "echo" | "canonical">): InputFacts {
    const { phase } = this.#tracker.state;
    const { bracketedPaste } = this.#deps.modes();
    // Looking at processes takes time, and a shell with markers has already reported its prompt.
    const isOpen = canonical === false && bracketedPaste && phase !== "prompt";
    return {
      echo,
      canonical,
      phase,
      bracketedPaste,
      shell: isOpen ? readForegroundShell(this.#deps.pty.leader.pid) : undefined,
      lastLine: this.#lastLine,
      isSecretOpen: this.#isSecretOpen,
      silentRead: this.#silentRead,
    };
  }

  /** Who would get an answer that is typed now, by what the programs do at this moment. */
  async answerReader(): Promise<AnswerReader> {
    const state = await this.#deps.pty.state();
    const waiting = await this.#lookAt(state);
    return decideAnswerReader(this.facts(state), waiting);
  }

  /** Whether the shell says that it waits for a command line. */
  get isAtPrompt(): boolean {
    const { phase } = this.#tracker.state;
    return phase === "prompt" || phase === "continuation";
  }

  /** Whether text stands at the prompt that nobody has submitted: a line that is typed now would be appended to it. */
  get isLineOpen(): boolean {
    return this.#promptLine.isOpen;
  }

  /** Finds out whether what was typed before the prompt, while a command ran or in another host, stands there now. */
  async findTypedAhead(): Promise<void> {
    for (let looks = 0, idle = 0; looks < MAX_LOOKS && idle < IDLE_LOOKS; looks++) {
      if (isDrawn(this.#tracker.typedAhead, this.#drawnAtPrompt)) {
        this.#promptLine = OPEN_LINE;
        return;
      }
      if (this.#tracker.typedAhead === "") return;
      idle = (await this.isEditingLine()) ? idle + 1 : 0;
      await wait(LOOK_MS);
    }
  }

  /** Whether a shell that is at its prompt has read all that was typed, and edits a line. */
  async isEditingLine(): Promise<boolean> {
    const { shellIdle } = await this.#look();
    return this.#tracker.state.phase === "prompt" && shellIdle?.lineEditor === true;
  }

  /** Between two commands too, when the shell draws its prompt: what is typed then stands behind it. */
  get #isShellReading(): boolean {
    const { phase } = this.#tracker.state;
    return phase === "prompt" || (phase === "starting" && this.#hasReported);
  }

  /** The program is gone, and with it the command whose end nobody saw. */
  handleExit(): void {
    void this.#append(this.#tracker.handleExit(performance.now()));
    this.#apply(this.#tracker.state);
    this[Symbol.dispose]();
  }

  [Symbol.dispose](): void {
    this.#isOver = true;
    clearTimeout(this.#startTimer);
    this.#ready.resolve();
    this.#watch[Symbol.dispose]();
    this.#inputNeeded = undefined;
    this.#prompt = undefined;
    this.#tail = NOTHING;
  }

  /** Where nobody recorded what was typed, any text behind the prompt counts. */
  #resume({ command, typed }: ResumedCommands, drawnAtPrompt: Uint8Array): void {
    this.#keepTail(drawnAtPrompt);
    if (!command && typed === undefined && /\S/.test(this.#drawnAtPrompt)) {
      this.#promptLine = OPEN_LINE;
    }
    this.#applyAfter(undefined);
  }

  #handleForeground(signal: ForegroundSignal): void {
    this.#applyAfter(this.#append(this.#tracker.handleForeground(signal)));
  }

  #append(facts: readonly CommandFact[]): Promise<unknown> | undefined {
    let last: Promise<unknown> | undefined;
    for (const fact of facts) last = this.#deps.append(fact).catch(this.#deps.handleProblem);
    return last;
  }

  /** What is known now counts when it is recorded, and not before what was known earlier. */
  #applyAfter(recorded: Promise<unknown> | undefined): void {
    const { state } = this.#tracker;
    if (!this.#isShellReading) this.#promptLine = EMPTY_LINE;
    if (state.command?.isExpected) this.#expectedCommandId = state.command.commandId;
    void this.#applying.run(async () => {
      await recorded;
      this.#apply(state);
    });
  }

  #apply(state: CommandState): void {
    if (this.#isOver) return;
    const isPrompt = state.phase === "prompt";
    if (isPrompt && !this.#prompt) {
      this.#prompt = { sequence: this.#deps.lastSequence() };
      this.#ready.resolve();
    } else if (!isPrompt) {
      this.#prompt = undefined;
    }
    this.#state = state;
    this.#hasReported ||= isPrompt || state.phase === "running";
    this.#watch.setPhase(state.phase);
    this.#deps.handleChange();
  }

  async #look(): Promise<ForegroundState> {
    return await this.#lookAt(await this.#deps.pty.state());
  }

  #lookAt(state: PtyState): Promise<ForegroundState> {
    const { bracketedPaste, alternateScreen } = this.#deps.modes();
    const [leaderPid, lastLine] = [this.#deps.pty.leader.pid, this.#lastLine];
    const readsSilently = this.#silentRead === "certain";
    const modes = { lastLine, bracketedPaste, alternateScreen, readsSilently };
    return readForegroundState({ ...state, leaderPid, ...modes });
  }

  /** Other shells tell by the state of the terminal that they hide what is typed. */
  get #silentRead(): SilentRead | undefined {
    const { phase, command } = this.#tracker.state;
    if (this.#deps.integration?.shell !== "fish" || phase !== "running") return undefined;
    const found = command && findSilentRead(command.commandLine);
    return found && command.quality !== "exact" ? "possible" : found;
  }

  #keepTail(drawn: Uint8Array): void {
    const last = drawn.subarray(-TAIL_BYTES);
    const overBytes = this.#tail.byteLength + last.byteLength - TAIL_BYTES;
    const before = this.#tail.subarray(Math.max(0, overBytes));
    // Memory of its own: what Node gives for something this small would keep 64 KiB of others' with it.
    const tail = new Uint8Array(before.byteLength + last.byteLength);
    tail.set(before);
    tail.set(last, before.byteLength);
    this.#tail = tail;
    this.#promptBytes += drawn.byteLength;
  }

  get #drawnAtPrompt(): string {
    return writtenCharacters(
      this.#tail.subarray(Math.max(0, this.#tail.byteLength - this.#promptBytes)),
    );
  }

  get #lastLine(): string {
    const text = writtenCharacters(this.#tail);
    return text.slice(text.lastIndexOf("\n") + 1);
  }
}

/** Every escape sequence that output entries have whole: CSI, strings, and those of two or three characters. */
const SEQUENCES =
  // oxlint-disable-next-line no-control-regex -- escape sequences are made of control characters
  /\u001b(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[ -/]*[0-~])/g;

// oxlint-disable-next-line no-control-regex -- removing them is the purpose
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f]/g;

/** The characters that were written last, in their order, wherever they stand: a prompt is recognised by them. */
function writtenCharacters(drawn: Uint8Array): string {
  const text = Buffer.from(drawn.buffer, drawn.byteOffset, drawn.byteLength).toString();
  return text.replaceAll(SEQUENCES, "").replaceAll("\r\n", "\n").replaceAll(CONTROLS, "");
}

/** How commands are known whose beginning and end can be relied on. */
const RELIABLE_QUALITIES: readonly CommandQuality[] = ["exact", "marker"];

/** Enter, Ctrl+C and Ctrl+D. */
const endsSecret = (bytes: Uint8Array): boolean =>
  [0x0d, 0x0a, 0x03, 0x04].some((key) => bytes.includes(key));
