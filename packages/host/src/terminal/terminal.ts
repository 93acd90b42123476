// THE AGGREGATE: one terminal as every wire sees it. Who may do what is decided here, once.
import {
  type Caller,
  type Command,
  type CommandId,
  type EntryTypes,
  MarkerLabel,
  type OutputExcerpt,
  type OutputPage,
  parse,
  type ReadOutputInput,
  type RunCommandInput,
  type RunCommandResult,
  type Screen,
  type ScreenFormat,
  type Size,
  type TerminalData,
  type TerminalId,
  type TerminalSendInputData,
  type TerminalStorage,
  type TerminalSummary,
  TerminalTitle,
  type WaitInput,
  type WaitResult,
} from "@nacre/contracts";
import type { ClaimHolder } from "../claim/claim-holder.ts";
import {
  isAllowed,
  mayResize,
  type PolicyQuestion,
  requireAllowed,
  requireEpoch,
  type TerminalPermission,
} from "../claim/input-policy.ts";
import type { KillReport, PtyExit, SignalTarget, Survivor } from "../pty/pty.ts";
import type { RecordedEntry } from "../recording/recorded-entry.ts";
import type { DrawRequester } from "../screen/history-worker.ts";
import type { CommandPage } from "./commands.ts";
import type { TerminalContent } from "./content.ts";
import { InputRequests } from "./input-requests.ts";
import type { Lifecycle } from "./lifecycle.ts";
import { LiveSource, LiveTerminal } from "./live-terminal.ts";
import type { ContentOptions } from "./read-content.ts";
import { runCommand } from "./run-command.ts";
import { type FeedOptions, type TerminalSubscription, Viewers } from "./subscription.ts";
import { summarizeTerminal, type TerminalStatus } from "./terminal-data.ts";
import { guardObserver, Listeners, type TerminalObserver } from "./terminal-observer.ts";
import type { TerminalInit, TerminalOptions } from "./terminal-init.ts";
import { type ReadableTerminal, TerminalReader } from "./terminal-reader.ts";
import type { TypedCallback, TypeOptions } from "./input-writer.ts";
import { InputEncoder } from "./input-encoder.ts";
import { type Waitable, waitFor, type WaitStatus } from "./wait.ts";

interface PermissionsDeps {
  readonly claims: ClaimHolder;
  readonly lifecycle: Lifecycle;
}

/** Who may do what with one Terminal now, by its claim, its policy and its life. */
export class Permissions {
  readonly #deps: PermissionsDeps;
  readonly #policy: PolicyQuestion["policy"];

  constructor(deps: PermissionsDeps, { inputPolicy = "open" }: TerminalOptions) {
    this.#deps = deps;
    this.#policy = inputPolicy;
  }

  /** Refuses what the caller may not do, and what nobody can do with a program that ended. */
  require(action: TerminalPermission, by: Caller): void {
    requireAllowed(action, this.#question(by));
    this.#deps.lifecycle.requireRunning(action);
  }

  /** Refuses what may not be typed; a person may answer whoever may type, also where only the holder may. */
  requireTyping({ by, askedBy, epoch }: Pick<TypeOptions, "by" | "askedBy" | "epoch">): void {
    const isAnswer =
      askedBy !== undefined &&
      by.scope === "operator" &&
      isAllowed("input", this.#question(askedBy));
    this.require("input", isAnswer ? askedBy : by);
    this.requireEpoch(epoch);
  }

  requireEpoch(believed: number | undefined): void {
    requireEpoch(this.#deps.claims.state, believed);
  }

  /** Refuses who may not end the terminal and take it off the list, whether or not it runs. */
  requireDisposable(by: Caller): void {
    requireAllowed("dispose", this.#question(by));
  }

  mayDispose(by: Caller): boolean {
    return isAllowed("dispose", this.#question(by));
  }

  mayResize(by: Caller): boolean {
    return mayResize(this.#question(by));
  }

  #question(by: Caller): PolicyQuestion {
    const { state, first } = this.#deps.claims;
    return { by, claim: state.claim, first, policy: this.#policy };
  }
}

/** One Terminal that runs in this host, or ran until it is disposed; whoever connects sees the same. */
export class Terminal implements Waitable, ReadableTerminal, AsyncDisposable {
  readonly row: TerminalStorage;
  readonly options: TerminalOptions;
  /** What people are asked, and what became of it. */
  readonly inputRequests: InputRequests;
  readonly #live: LiveTerminal;
  readonly #reader: TerminalReader;
  readonly #viewers: Viewers;
  readonly #permissions: Permissions;
  readonly #input: InputEncoder;
  readonly #listeners = new Listeners();
  #activeAt = performance.now();

  constructor(init: TerminalInit, told: TerminalObserver) {
    const observer = guardObserver(told);
    this.row = init.row;
    this.options = init.options;
    this.#live = new LiveTerminal(init, {
      handleRecorded: (recorded) => {
        this.#activeAt = performance.now();
        this.#viewers.offer(recorded);
        if (recorded.entry.type !== "output") this.#listeners.call();
        observer.handleRecorded(this, recorded);
      },
      handleChange: () => {
        if (this.isOver) this.#viewers.wake();
        this.inputRequests.look(this.isOver);
        this.#handleChange(observer);
      },
      recycle: (sequence, bytes) => this.#viewers.recycle(sequence, bytes),
      handleProblem: (error) => observer.handleProblem(this, error),
    });
    this.#reader = new TerminalReader(new LiveSource(this.#live, init, () => this.status));
    this.#viewers = new Viewers(this.#reader);
    this.#permissions = new Permissions(this.#live, init.options);
    this.#input = new InputEncoder(this.#live, {
      check: (options) => this.#permissions.requireTyping(options),
      handleTyped: (bytes, by) => this.inputRequests.noteTyped(bytes, by),
    });
    this.inputRequests = new InputRequests({
      needed: () => this.#live.detection.inputNeeded?.needed,
      isAtPrompt: () => this.#live.detection.isAtPrompt,
      answerReader: () => this.#live.detection.answerReader(),
      // Who may name a point of the recording may type as well.
      open: async (prompt, by) => void (await this.mark(prompt, by)),
      type: (text, options) => this.write(text, options),
      handleChange: () => this.#handleChange(observer),
      save: (open) => init.questions?.save(init.row.id, open),
      saved: init.questions?.of(init.row.id),
    });
    this.#live.start();
  }

  get id(): TerminalId {
    return this.row.id;
  }

  /** Who drives it, and who asks to. */
  get claims(): ClaimHolder {
    return this.#live.claims;
  }

  get lastSequence(): number {
    return this.#live.lastSequence;
  }

  /** Whether no entry can follow any more. */
  get isOver(): boolean {
    return this.#live.isOver;
  }

  get isRunning(): boolean {
    return this.#live.lifecycle.isRunning;
  }

  /** Process id of the program that was launched. */
  get leaderPid(): number {
    return this.#live.pty.leader.pid;
  }

  /** When something was last recorded, in ms by the clock that never jumps. */
  get activeAt(): number {
    return this.#activeAt;
  }

  get status(): TerminalStatus {
    const { pending: inputRequests, lapsed: lapsedRequests } = this.inputRequests;
    return {
      ...this.#live.status,
      viewers: this.#viewers.count,
      inputRequests,
      lapsedRequests,
    };
  }

  get summary(): TerminalSummary {
    return summarizeTerminal(this.status);
  }

  get waitStatus(): WaitStatus {
    const { prompt, inputNeeded } = this.#live.detection;
    return { prompt, inputNeeded, blocked: this.#live.blocked };
  }

  get detectsCommands(): boolean {
    return this.#live.detection.detectsCommands;
  }

  get runningCommand(): Command | undefined {
    return this.#live.commands.running;
  }

  get expectedCommandId(): CommandId | undefined {
    return this.#live.detection.expectedCommandId;
  }

  isEditingLine(): Promise<boolean> {
    return this.#live.detection.isEditingLine();
  }

  /** Resolves when the header and the first claim are recorded. */
  get opened(): Promise<void> {
    return this.#live.opened;
  }

  /** Resolves when the program ended and everything is recorded. */
  get ended(): Promise<PtyExit> {
    return this.#live.ended;
  }

  /** Types text, or any bytes. */
  write(data: string | Uint8Array, options: TypeOptions): Promise<void> {
    return this.#input.write(data, options);
  }

  /** Presses keys by name, as the program asked to be told of them. */
  sendKeys(keys: readonly string[], options: TypeOptions): Promise<void> {
    return this.#input.sendKeys(keys, options);
  }

  /** Pastes text, in brackets where the program asked for them. */
  paste(text: string, options: TypeOptions): Promise<void> {
    return this.#input.paste(text, options);
  }

  /** Types, gives a new size, or both, in this order. */
  async sendInput(input: TerminalSendInputData, by: Caller, told?: TypedCallback): Promise<void> {
    const { cols, rows, epoch, sensitive, expects } = input;
    this.#permissions.requireEpoch(epoch);
    await this.#input.send(input, { by, epoch, sensitive, expects, handleTyped: told });
    if (cols !== undefined && rows !== undefined) await this.resize({ cols, rows }, by);
  }

  /** Gives the terminal a size if it follows this caller; resolves with the real one. */
  async resize(size: Size, by: Caller): Promise<Size> {
    this.#live.lifecycle.requireRunning("resize");
    const { resizer } = this.#live;
    return this.#permissions.mayResize(by) ? await resizer.request(size, by.id) : resizer.size;
  }

  /** Renames the terminal until the name is taken away with an empty one. */
  async rename(title: string, by: Caller): Promise<void> {
    this.#permissions.require("rename", by);
    const checked = parse(TerminalTitle, title, "title");
    await this.#live.appendNow(this.#live.title.setByCaller(checked, by.id));
  }

  /** Views start empty from here on; the recording keeps everything. */
  async clear(by: Caller): Promise<void> {
    this.#permissions.require("clear", by);
    await this.#live.appendNow({ type: "clear", by: by.id });
  }

  /** Names this point of the recording, and says where it is. */
  async mark(label: string, by: Caller): Promise<number> {
    this.#permissions.require("rename", by);
    const checked = parse(MarkerLabel, label, "label");
    return (await this.#live.appendNow({ type: "marker", label: checked, by: by.id })).sequence;
  }

  async signal(signal: NodeJS.Signals, by: Caller, target?: SignalTarget): Promise<void> {
    this.#permissions.require("signal", by);
    await this.#live.pty.signal(signal, target);
  }

  /** Ends everything that was started; resolves when death is proven and the end is recorded. */
  async kill(by: Caller, graceMs?: number): Promise<KillReport> {
    this.#permissions.require("kill", by);
    return await this.#live.kill(graceMs);
  }

  /** What was started here and still runs, also behind the program's end. */
  processes(): Promise<readonly Survivor[]> {
    return this.#live.processes();
  }

  /** Runs a command line in the live shell; returns the moment its end is known. */
  async runCommand(input: Omit<RunCommandInput, "id">, by: Caller): Promise<RunCommandResult> {
    this.#permissions.require("input", by);
    const submit = (): Promise<void> => this.#input.submit(input.commandLine, by);
    const forget = (): void => this.#live.detection.expectLine(undefined);
    const clear = (): Promise<void> => this.#input.sendKeys(["C-c"], { by });
    return await runCommand(this, { ...input, submit, clear, forget, pty: this.#live.pty });
  }

  /** Waits for something to happen; always with a deadline. */
  wait(input: Omit<WaitInput, "id">, requester?: DrawRequester): Promise<WaitResult> {
    return waitFor(this, input, requester);
  }

  read(types?: EntryTypes, requester?: DrawRequester): Promise<TerminalData> {
    return this.#reader.read(types, requester);
  }

  readScreen(format: ScreenFormat, at?: number, requester?: DrawRequester): Promise<Screen> {
    return this.#reader.readScreen(format, at, requester);
  }

  /** What the terminal showed, in parts per command. */
  readContent(options?: ContentOptions): Promise<TerminalContent> {
    return this.#reader.readContent(options);
  }

  /** Output from a position on; waits for some when there is none and time is given. */
  async readOutput(input: Omit<ReadOutputInput, "id">, signal?: AbortSignal): Promise<OutputPage> {
    const page = await this.#reader.readOutput(input, { terminal: this, signal });
    const { blocked } = this.#live;
    return blocked ? { ...page, recordingBlocked: blocked } : page;
  }

  readCommandOutput(command: Command, maxBytes?: number): Promise<OutputExcerpt> {
    return this.#reader.readCommandOutput(command, maxBytes);
  }

  listCommands(page?: CommandPage): Promise<Command[]> {
    return this.#live.commands.list(page);
  }

  findCommand(commandId: CommandId): Promise<Command | undefined> {
    return this.#live.commands.find(commandId);
  }

  /** Follows the terminal: a snapshot, then every entry once. */
  subscribe(options: FeedOptions = {}): TerminalSubscription {
    return this.#viewers.subscribe(options);
  }

  onChange(listener: () => void): Disposable {
    return this.#listeners.add(listener);
  }

  /** Refuses who may not end this terminal and take it off the list. */
  requireDisposable(by: Caller): void {
    this.#permissions.requireDisposable(by);
  }

  mayDispose(by: Caller): boolean {
    return this.#permissions.mayDispose(by);
  }

  /** Whether recordings can be written changed. */
  noteStorage(): void {
    this.#live.noteStorage();
  }

  /** Takes an entry that the recorder made by itself, such as a gap. */
  insert(entry: RecordedEntry): void {
    this.#live.insert(entry);
  }

  /** Takes nothing more down, because its recording is removed; to be closed then. */
  abandon(): void {
    this.#live.abandon();
  }

  /** Leaves a running program to the next host. */
  async detach(): Promise<void> {
    await (this.isRunning ? this.#live.detach() : this.close());
  }

  /** Ends the program if it still runs, and what it left in the background; feeds end with its last entry, and the recording stays. */
  async close(graceMs?: number): Promise<void> {
    await this.#live.close(graceMs);
    // Who is behind reads the rest from the recording; without an end in it nobody would ever be told of one.
    if (this.isOver) this.#viewers.wake();
    else this.#viewers[Symbol.dispose]();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #handleChange(observer: TerminalObserver): void {
    this.#listeners.call();
    if (this.lastSequence > 0) observer.handleChange(this);
  }
}
