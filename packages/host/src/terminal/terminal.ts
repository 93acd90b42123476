// THE AGGREGATE: one terminal as every wire sees it, and how its parts are connected. Who may do what is decided here, once.
import {
  type Caller,
  type LostReason,
  MarkerLabel,
  parse,
  type RecordingBlocked,
  type RunCommandInput,
  type RunCommandResult,
  type Size,
  type TerminalId,
  type TerminalSendInputData,
  type TerminalStorage,
  type TerminalSummary,
  TerminalTitle,
  type WaitInput,
  type WaitResult,
} from "@nacre/contracts";
import { Listeners } from "../base/listeners.ts";
import { settleWithin } from "../base/settle-within.ts";
import { ClaimHolder } from "../claim/claim-holder.ts";
import {
  checkGrace,
  DEFAULT_GRACE_MS,
  type KillReport,
  type PtyExit,
  type SignalTarget,
  type Survivor,
} from "../pty/pty.ts";
import type { Fact, RecordedEntry } from "../recording/recorded-entry.ts";
import type { DrawRequester } from "../screen/history-worker.ts";
import type { LiveScreen } from "../screen/live-screen.ts";
import { FishPreamble } from "../shell/fish-preamble.ts";
import { OutputParser, type OutputPiece } from "../shell/output-parser.ts";
import { Appender, type EntryWithViews } from "./appender.ts";
import { Commands } from "./commands.ts";
import { EchoGuard } from "./echo-guard.ts";
import { InputEncoder } from "./input-encoder.ts";
import { InputRequests } from "./input-requests.ts";
import { InputWriter, type TypedCallback, type TypeOptions } from "./input-writer.ts";
import { claimFact, exitFact, firstFacts, lostFact, lostReasonOf } from "./lifecycle-facts.ts";
import { Lifecycle } from "./lifecycle.ts";
import { OutputPipeline } from "./output-pipeline.ts";
import { Permissions } from "./permissions.ts";
import { requireRecording } from "./require-recording.ts";
import { Resizer } from "./resizer.ts";
import { runCommand } from "./run-command.ts";
import { ScreenHistory, SnapshotWriter } from "./screen-history.ts";
import { ShellActivityTracker } from "./shell-activity-tracker.ts";
import { type FeedOptions, type TerminalSubscription, Viewers } from "./subscription.ts";
import { pickExitStatus, summarizeTerminal, type TerminalStatus } from "./terminal-data.ts";
import type { TerminalDeps, TerminalInit, TerminalOptions } from "./terminal-init.ts";
import { TerminalReader } from "./terminal-reader.ts";
import { Title } from "./title.ts";
import { waitFor, type WaitStatus } from "./wait.ts";

/** How long callers wait for something to be recorded that happened already. */
const MAX_RECORDED_MS = 1000;

/** A program that is gone is waited for no longer than this when its end cannot be recorded. */
const MAX_ENDED_MS = 1500;

/** One Terminal that runs in this host, or ran until it is disposed; whoever connects sees the same. */
export class Terminal implements AsyncDisposable {
  readonly row: TerminalStorage;
  readonly options: TerminalOptions;
  /** What it shows and what is recorded of it. */
  readonly reader: TerminalReader;
  readonly commands: Commands;
  /** Who drives it, and who asks to. */
  readonly claims: ClaimHolder;
  readonly permissions: Permissions;
  /** What people are asked, and what became of it. */
  readonly inputRequests: InputRequests;
  /** Resolves when the header and the first claim are recorded. */
  readonly opened: Promise<void>;
  /** Resolves when the program ended and everything is recorded, or cannot be; never fails. */
  readonly ended: Promise<PtyExit>;
  readonly #init: TerminalInit;
  readonly #deps: TerminalDeps;
  readonly #lifecycle: Lifecycle;
  readonly #appender: Appender;
  readonly #detection: ShellActivityTracker;
  readonly #inputWriter: InputWriter;
  readonly #input: InputEncoder;
  readonly #resizer: Resizer;
  readonly #screen: LiveScreen;
  readonly #snapshots: SnapshotWriter;
  readonly #pipeline: OutputPipeline;
  readonly #viewers: Viewers;
  readonly #title = new Title();
  readonly #echoGuard = new EchoGuard();
  readonly #listeners = new Listeners();
  #activeAt = performance.now();
  #exit: PtyExit | undefined;
  #lostReason: LostReason | undefined;
  #isOver = false;
  #isDetached = false;
  #isAbandoned = false;

  constructor(init: TerminalInit, deps: TerminalDeps) {
    const { row, pty, size, integration, options, earlier } = init;
    const { recordings, screens, questions } = deps;
    const handleProblem = this.#handleProblem;
    this.#init = init;
    this.#deps = deps;
    this.row = row;
    this.options = options;
    const recording = recordings.forTerminal(row);
    const history = new ScreenHistory(recording, screens);
    this.commands = new Commands(recording);
    this.#appender = new Appender({
      recording: init.recording,
      backlog: deps.backlog,
      handleRecorded: (recorded) => this.#handleRecorded(recorded),
      lastSequence: earlier?.lastSequence,
      handleWaiting: () => {
        if (recordings.blocked) this.#handleStatus();
      },
    });
    this.#lifecycle = new Lifecycle(row.id, () => this.#handleStatus());
    const parser = new OutputParser({
      nonces: integration?.nonces,
      trustForeign: options.trustForeignMarkers ?? false,
    });
    this.#detection = new ShellActivityTracker({
      pty,
      integration,
      modes: () => parser.modes,
      resumed: earlier?.resumed,
      drawnAtPrompt: earlier?.drawnAtPrompt,
      append: (fact) => this.#append(fact),
      lastSequence: () => this.lastSequence,
      isBlocked: () => this.#blocked !== undefined,
      handleChange: () => this.#handleStatus(),
      handleProblem,
    });
    this.#inputWriter = new InputWriter(
      {
        pty,
        appender: this.#appender,
        lifecycle: this.#lifecycle,
        facts: (state) => this.#detection.facts(state),
        answerReader: () => this.#detection.answerReader(),
        guardEcho: (bytes) => this.#echoGuard.guard(bytes),
        claimSettled: () => this.claims.settled(MAX_RECORDED_MS),
        takesInput: options.mode !== "pipe",
        handleProblem,
        handleInput: (bytes, isSecret) => this.#detection.handleInput(bytes, isSecret),
      },
      this.#detection.ready,
    );
    this.#input = new InputEncoder(
      { inputWriter: this.#inputWriter, parser, detection: this.#detection },
      {
        check: (typed) => this.permissions.requireTyping(typed),
        handleTyped: (bytes, by) => this.inputRequests.noteTyped(bytes, by),
      },
    );
    this.#resizer = new Resizer(size, {
      apply: (wanted) => pty.resize(wanted),
      record: async (wanted, by) => {
        const fact = { type: "resize", ...wanted, ...(by === undefined ? {} : { by }) } as const;
        await settleWithin(this.#append(fact).catch(handleProblem), MAX_RECORDED_MS);
      },
    });
    this.#screen = screens.open({
      size,
      source: history,
      answeredThrough: earlier?.lastSequence ?? 0,
      isNew: earlier === undefined,
      handleReply: (reply) => void this.#inputWriter.answer(reply).catch(handleProblem),
      handleCheckpoint: (saved) => this.#snapshots.noteDrawn(saved),
    });
    this.#snapshots = new SnapshotWriter({
      screen: this.#screen,
      keep: (saved) => recordings.saveSnapshot(row.id, saved),
      // A screen that is closed meanwhile needs no snapshot.
      handleProblem: (error) => void (this.#screen.isClosed || handleProblem(error)),
    });
    this.claims = new ClaimHolder({
      state: init.claim.state,
      ...(earlier ? { first: earlier.firstClaim } : {}),
      log: {
        record: async (change) => void (await this.#appendNow(claimFact(change))),
        changed: () => this.#handleStatus(),
        // Nobody drives a terminal that ended, so it does not matter who holds it then.
        failed: (error) => void (this.isRunning && handleProblem(error)),
      },
    });
    this.permissions = new Permissions({
      claims: this.claims,
      lifecycle: this.#lifecycle,
      policy: options.inputPolicy ?? "open",
    });
    this.reader = new TerminalReader(this, history, this.#screen);
    this.#viewers = new Viewers(this.reader);
    this.#pipeline = new OutputPipeline({
      pty,
      parser,
      appender: this.#appender,
      echoGuard: this.#echoGuard,
      earlier,
      preamble: integration?.shell === "fish" ? new FishPreamble() : undefined,
      handlePiece: (piece, recorded) => this.#handlePiece(piece, recorded),
      recycle: (sequence, bytes) => this.#viewers.recycle(sequence, bytes),
      handleLoss: handleProblem,
    });
    this.inputRequests = new InputRequests({
      needed: () => this.#detection.inputNeeded?.needed,
      isAtPrompt: () => this.#detection.isAtPrompt,
      answerReader: () => this.#detection.answerReader(),
      // Who may name a point of the recording may type as well.
      open: async (prompt, by) => void (await this.mark(prompt, by)),
      type: (text, typed) => this.write(text, typed),
      handleChange: () => this.#handleChange(),
      save: (open) => questions?.save(row.id, open),
      saved: questions?.of(row.id),
    });
    this.opened = this.#open();
    this.ended = this.#run();
  }

  get id(): TerminalId {
    return this.row.id;
  }

  /** The newest entry that everybody was told of. */
  get lastSequence(): number {
    return this.#appender.lastSequence;
  }

  /** Whether no entry can follow any more. */
  get isOver(): boolean {
    return this.#isOver;
  }

  get isRunning(): boolean {
    return this.#lifecycle.isRunning;
  }

  /** Process id of the program that was launched. */
  get leaderPid(): number {
    return this.#init.pty.leader.pid;
  }

  /** When something was last recorded, in ms by the clock that never jumps. */
  get activeAt(): number {
    return this.#activeAt;
  }

  get status(): TerminalStatus {
    const { row, pty, integration, cwdFallback, options } = this.#init;
    return {
      row,
      state: this.#lifecycle.state,
      claim: this.claims.state,
      exit: this.#exit && pickExitStatus(this.#exit),
      lostReason: this.#lostReason,
      limits: pty.limits,
      title: this.#title.text,
      shell: integration?.shell,
      cwdFallback,
      size: this.#resizer.size,
      ...this.#detection.status,
      recordingBlocked: this.#blocked,
      ...this.commands.status,
      inputPolicy: options.inputPolicy ?? "open",
      controlRequests: this.claims.requests,
      inputRequests: this.inputRequests.pending,
      lapsedRequests: this.inputRequests.lapsed,
      viewers: this.#viewers.count,
    };
  }

  get summary(): TerminalSummary {
    return summarizeTerminal(this.status);
  }

  get waitStatus(): WaitStatus {
    const { prompt, inputNeeded } = this.#detection;
    return { prompt, inputNeeded, blocked: this.#blocked };
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
    this.permissions.requireEpoch(epoch);
    await this.#input.send(input, { by, epoch, sensitive, expects, handleTyped: told });
    if (cols !== undefined && rows !== undefined) await this.resize({ cols, rows }, by);
  }

  /** Gives the terminal a size if it follows this caller; resolves with the real one. */
  async resize(size: Size, by: Caller): Promise<Size> {
    this.#lifecycle.requireRunning("resize");
    if (!this.permissions.mayResize(by)) return this.#resizer.size;
    return await this.#resizer.request(size, by.id);
  }

  /** Renames the terminal until the name is taken away with an empty one. */
  async rename(title: string, by: Caller): Promise<void> {
    this.permissions.require("rename", by);
    const checked = parse(TerminalTitle, title, "title");
    await this.#appendNow(this.#title.setByCaller(checked, by.id));
  }

  /** Views start empty from here on; the recording keeps everything. */
  async clear(by: Caller): Promise<void> {
    this.permissions.require("clear", by);
    await this.#appendNow({ type: "clear", by: by.id });
  }

  /** Names this point of the recording, and says where it is. */
  async mark(label: string, by: Caller): Promise<number> {
    this.permissions.require("rename", by);
    const checked = parse(MarkerLabel, label, "label");
    return (await this.#appendNow({ type: "marker", label: checked, by: by.id })).sequence;
  }

  async signal(signal: NodeJS.Signals, by: Caller, target?: SignalTarget): Promise<void> {
    this.permissions.require("signal", by);
    await this.#init.pty.signal(signal, target);
  }

  /** Ends everything that was started; resolves when death is proven and the end is recorded, unless the disk is in trouble. */
  async kill(by: Caller, graceMs?: number): Promise<KillReport> {
    this.permissions.require("kill", by);
    return await this.#kill(graceMs);
  }

  /** Runs a command line in the live shell; returns the moment its end is known. */
  async runCommand(command: Omit<RunCommandInput, "id">, by: Caller): Promise<RunCommandResult> {
    this.permissions.require("input", by);
    const { pty } = this.#init;
    const shell = { terminal: this, detection: this.#detection, input: this.#input, pty };
    return await runCommand(shell, command, by);
  }

  /** Waits for something to happen; always with a deadline. */
  wait(input: Omit<WaitInput, "id">, requester?: DrawRequester): Promise<WaitResult> {
    return waitFor(this, input, requester);
  }

  /** Follows the terminal: a snapshot, then every entry once. */
  subscribe(options: FeedOptions = {}): TerminalSubscription {
    return this.#viewers.subscribe(options);
  }

  /** Calls back whenever the status may have changed. */
  onChange(listener: () => void): Disposable {
    return this.#listeners.add(listener);
  }

  /** What was started here and still runs, also behind the program's end. */
  async processes(): Promise<readonly Survivor[]> {
    return (await this.#init.pty.processes?.()) ?? [];
  }

  /** Whether recordings can be written changed. */
  noteStorage(): void {
    this.#handleStatus();
  }

  /** Takes an entry that the recorder made by itself, such as a gap. */
  insert(entry: RecordedEntry): void {
    this.#appender.insert({ entry });
  }

  /** Takes nothing more down, because its recording is removed, so that its end waits for no disk; to be closed then. */
  abandon(): void {
    this.#isAbandoned = true;
    this.#appender.abandon();
  }

  /** Leaves a running program to the next host: what was typed gets to it, and what is not recorded here stays where it is. */
  async detach(): Promise<void> {
    if (!this.isRunning) return await this.close();
    this.#isDetached = true;
    this.#lifecycle.detach();
    await settleWithin(this.#inputWriter.settled, MAX_RECORDED_MS);
    const recorded = Promise.all([this.#appender.flushInput(), this.#pipeline.detach()]);
    await settleWithin(recorded, MAX_RECORDED_MS);
    this.claims[Symbol.dispose]();
  }

  /** Ends the program if it still runs, and what it left in the background; feeds end with its last entry, and the recording stays. */
  async close(graceMs = DEFAULT_GRACE_MS): Promise<void> {
    await this.#dispose(graceMs);
    // Who is behind reads the rest from the recording; without an end in it nobody would ever be told of one.
    if (this.isOver) this.#viewers.wake();
    else this.#viewers[Symbol.dispose]();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** Why nothing new is shown: something of this terminal cannot be recorded now. */
  get #blocked(): RecordingBlocked | undefined {
    const { blocked } = this.#deps.recordings;
    return blocked && this.#appender.isWaiting ? blocked : undefined;
  }

  /** Appends a fact; everybody is told of its entry. */
  #append(fact: Fact): Promise<RecordedEntry> {
    return this.#appender.append({ fact });
  }

  /** Appends a fact that must be recorded before it counts; refused where that cannot be done at the moment. */
  async #appendNow(fact: Fact): Promise<RecordedEntry> {
    requireRecording(this.#deps.recordings);
    return await this.#append(fact);
  }

  async #open(): Promise<void> {
    const { earlier } = this.#init;
    const recorded = firstFacts(this.#init).map((fact) => this.#append(fact));
    if (earlier) {
      this.#title.note(earlier.title ?? "");
      if (earlier.command) this.commands.note(earlier.command);
      for (const one of recorded) one.catch(this.#handleProblem);
    }
    this.#lifecycle.enter("active");
    // A disk in trouble must not keep a program from its terminal.
    if (!earlier) await Promise.all(recorded);
  }

  async #run(): Promise<PtyExit> {
    const report = (error: unknown): undefined => {
      if (!this.#isDetached && !this.#isAbandoned) this.#handleProblem(error);
    };
    const ending = await this.#pipeline.run().catch((error: unknown): undefined => {
      this.#lostReason = lostReasonOf(error);
      report(error);
    });
    const unknown = { outputBytes: this.#pipeline.offset, drained: false };
    this.#resizer[Symbol.dispose]();
    if (this.#isDetached) return unknown;
    this.#detection.handleExit();
    const reason = this.#lostReason;
    const last = ending ? exitFact(ending) : reason && lostFact(reason, unknown.outputBytes);
    // A terminal is over also when that cannot be recorded.
    if (last) await this.#appender.finish(last).catch(report);
    this.#exit = ending;
    this.#isOver = true;
    this.#lifecycle.enter(ending ? "exited" : "lost");
    this.claims[Symbol.dispose]();
    if (last) await this.#appender.seal().catch(report);
    this.#snapshots.keep();
    await this.#init.integration?.dispose().catch(report);
    return ending ?? unknown;
  }

  async #kill(graceMs = DEFAULT_GRACE_MS): Promise<KillReport> {
    checkGrace(graceMs);
    if (this.#lifecycle.state === "active") this.#lifecycle.enter("killing");
    const report = await this.#init.pty.kill(graceMs);
    await settleWithin(this.ended, MAX_ENDED_MS);
    return report;
  }

  /** Ends the program, and what it left in the background, and lets go of everything but the recording. */
  async #dispose(graceMs: number): Promise<void> {
    await using rest = new AsyncDisposableStack();
    for (const part of [this.claims, this.#echoGuard, this.#screen]) rest.use(part);
    rest.defer(() => this.#disposeOfPty());
    this.#inputWriter.stopWaiting();
    // What was typed before gets there; and where the program ended a moment ago, its end is still being recorded.
    await settleWithin(this.#inputWriter.settled, MAX_RECORDED_MS);
    await (this.isRunning ? this.#kill(graceMs) : this.#endBackground(graceMs));
    await settleWithin(this.#snapshots.settled, MAX_RECORDED_MS);
  }

  /** What outlived the program has as long to end; what cannot be asked to is ended at once with the Pty. */
  async #endBackground(graceMs: number): Promise<void> {
    await settleWithin(this.ended, MAX_ENDED_MS);
    if (this.#exit) await this.#init.pty.kill(graceMs).catch(this.#handleProblem);
  }

  /** Where the end cannot be recorded yet, whoever keeps the program keeps it until it is. */
  async #disposeOfPty(): Promise<void> {
    const { pty } = this.#init;
    if (this.#isOver) return await pty[Symbol.asyncDispose]();
    this.ended.then(() => pty[Symbol.asyncDispose]()).catch(this.#handleProblem);
  }

  #handlePiece(piece: OutputPiece, recorded: Promise<unknown>): void {
    const title = piece.title === undefined ? undefined : this.#title.setByProgram(piece.title);
    if (title) this.#append(title).catch(this.#handleProblem);
    this.#detection.handlePiece(piece, recorded);
  }

  #handleRecorded(recorded: EntryWithViews): void {
    const { entry, drawn } = recorded;
    this.commands.note(entry);
    if (entry.type === "title") this.#title.note(entry.title);
    this.#snapshots.note(entry, drawn);
    this.#activeAt = performance.now();
    this.#viewers.offer(recorded);
    if (entry.type !== "output") this.#listeners.call();
    this.#tell(() => this.#deps.observer.handleRecorded(this, recorded));
  }

  #handleStatus(): void {
    if (this.isOver) this.#viewers.wake();
    this.inputRequests.look(this.isOver);
    this.#handleChange();
  }

  #handleChange(): void {
    this.#listeners.call();
    if (this.lastSequence > 0) this.#tell(() => this.#deps.observer.handleChange(this));
  }

  /** What an observer fails with is a problem to be told, and no reason for the terminal to fail. */
  #tell(tell: () => void): void {
    try {
      tell();
    } catch (error) {
      this.#handleProblem(error);
    }
  }

  readonly #handleProblem = (error: unknown): void =>
    this.#deps.observer.handleProblem(this, error);
}
