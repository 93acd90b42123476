// The machine inside a terminal: how its PTY, recording, screen, commands and claim are connected.
import {
  type CallerId,
  type LostReason,
  NacreError,
  type RecordingBlocked,
  type ScreenFormat,
  type Size,
  type TerminalId,
} from "@nacre/contracts";
import { ClaimHolder } from "../claim/claim-holder.ts";
import type { ClaimChange } from "../claim/claim-rules.ts";
import {
  checkGrace,
  DEFAULT_GRACE_MS,
  type KillReport,
  type Pty,
  type PtyExit,
  type Survivor,
} from "../pty/pty.ts";
import type { Fact, FactOf, RecordedEntry } from "../recording/recorded-entry.ts";
import type { RecordedTerminal } from "../recording/recording.ts";
import type { Recordings } from "../recording/recordings.ts";
import type { LiveScreen } from "../screen/live-screen.ts";
import type { DrawRequester } from "../screen/history-worker.ts";
import type { ScreenPicture } from "../screen/screen-change.ts";
import { OutputParser, type OutputPiece } from "../shell/output-parser.ts";
import { FishPreamble } from "../shell/fish-preamble.ts";
import { Appender, type EntryWithViews } from "./appender.ts";
import { Commands } from "./commands.ts";
import { ShellActivityTracker } from "./shell-activity-tracker.ts";
import { EchoGuard } from "./echo-guard.ts";
import { Lifecycle } from "./lifecycle.ts";
import { OutputPipeline } from "./output-pipeline.ts";
import { ScreenHistory, SnapshotWriter } from "./screen-history.ts";
import { Resizer } from "./resizer.ts";
import { pickExitStatus, type TerminalStatus } from "./terminal-data.ts";
import type { TerminalListener } from "./terminal-observer.ts";
import { type TerminalInit, toResumedCommands } from "./terminal-init.ts";
import type { ReadSource } from "./terminal-reader.ts";
import { InputWriter } from "./input-writer.ts";
import { BlockedTimer } from "./wait.ts";
import { settleWithin } from "../base/settle-within.ts";

/** In a flood, drawing can be far behind; who comes to look waits no longer than this. */
const MAX_PICTURE_WAIT_MS = 500;

/** A Terminal that runs here, as readers use it. */
export class LiveSource implements ReadSource {
  readonly #live: LiveTerminal;
  readonly #init: TerminalInit;
  readonly #status: () => TerminalStatus;

  constructor(live: LiveTerminal, init: TerminalInit, status: () => TerminalStatus) {
    this.#live = live;
    this.#init = init;
    this.#status = status;
  }

  get recording(): ReadSource["recording"] {
    return this.#live.recording;
  }

  get screens(): ReadSource["screens"] {
    return this.#init.screens;
  }

  get history(): ScreenHistory {
    return this.#live.history;
  }

  get status(): TerminalStatus {
    return this.#status();
  }

  get lastSequence(): number {
    return this.#live.lastSequence;
  }

  get isOver(): boolean {
    return this.#live.isOver;
  }

  async picture(format: ScreenFormat, requester?: DrawRequester): Promise<ScreenPicture> {
    const drawn = this.#live.screen.picture(format);
    return await drawn.catch((error: unknown) => this.#recorded(format, requester, error));
  }

  async pictureSoon(format: ScreenFormat, requester?: DrawRequester): Promise<ScreenPicture> {
    const drawn = this.#live.screen.pictureWithin(format, MAX_PICTURE_WAIT_MS);
    return await drawn.catch((error: unknown) => this.#recorded(format, requester, error));
  }

  /** A late caller gets the recorded state. */
  async #recorded(
    format: ScreenFormat,
    requester: DrawRequester | undefined,
    error: unknown,
  ): Promise<ScreenPicture> {
    if (!this.#live.isDisposed) throw error;
    const at = { sequence: this.#live.lastSequence, format, requester };
    return await this.#live.history.picture(this.#init.screens, at);
  }

  glance(format: ScreenFormat): Promise<ScreenPicture> | undefined {
    return this.#live.isDisposed ? undefined : this.#live.screen.glance(format);
  }
}

/** The title of one Terminal: the program's, until a caller renames it; that name stays until it is taken away. */
export class Title {
  #programs = "";
  #callers: string | undefined;
  #recorded = "";

  /** What is shown: what was recorded last; nothing when nobody set one. */
  get text(): string | undefined {
    return this.#recorded || undefined;
  }

  /** Takes note of a title that was recorded. */
  note(title: string): void {
    this.#recorded = title;
  }

  /** The program set its title; what is to be recorded of it. */
  setByProgram(title: string): FactOf<"title"> | undefined {
    const isNew = title !== this.#programs;
    this.#programs = title;
    return isNew && this.#callers === undefined ? { type: "title", title } : undefined;
  }

  /** A caller renamed the terminal, or took its name away with an empty one. */
  setByCaller(title: string, by: CallerId): FactOf<"title"> {
    this.#callers = title === "" ? undefined : title;
    return { type: "title", title: this.#callers ?? this.#programs, by };
  }
}

/** Recorded before anything else: the start of a terminal, or a gap before it continues. */
function firstFacts({ size, claim, cwdFallback, earlier }: TerminalInit): readonly Fact[] {
  if (!earlier) return [headerFact(size, cwdFallback), claimFact(claim)];
  const { lostBytes } = earlier;
  return lostBytes > 0 ? [{ type: "gap", lostBytes, reason: "restart" }] : [];
}

const headerFact = (size: Size, cwdFallback: true | undefined): FactOf<"header"> => ({
  type: "header",
  ...size,
  ...(cwdFallback ? { cwdFallback } : {}),
});

/** What is recorded of a change of the claim. */
function claimFact({ state, reason, by, note }: ClaimChange): FactOf<"claim"> {
  return {
    type: "claim",
    claim: state.claim,
    epoch: state.epoch,
    reason,
    ...(by === undefined ? {} : { by }),
    ...(note === undefined ? {} : { note }),
  };
}

/** What is recorded when nobody saw the program end. */
export const lostFact = (lostReason: LostReason, outputBytes?: number): FactOf<"exit"> => ({
  type: "exit",
  exitCode: null,
  ...(outputBytes === undefined ? {} : { outputBytes }),
  lostReason,
});

/** Why a Pty that fails is lost; nothing when somebody else has it now, who goes on with its recording. */
function lostReasonOf(error: unknown): LostReason | undefined {
  return error instanceof NacreError && error.code === "conflict" ? undefined : "keeperEnded";
}

/** What is recorded of the end of the program. */
function exitFact(exit: PtyExit): FactOf<"exit"> {
  const { exitCode, signal, limitReached, drained, outputBytes } = exit;
  return {
    type: "exit",
    exitCode: exitCode ?? null,
    ...(signal === undefined ? {} : { signal }),
    ...(limitReached === undefined ? {} : { limitReached }),
    ...(drained ? {} : { drained: false }),
    outputBytes,
  };
}

/** How long callers wait for something to be recorded that happened already. */
const MAX_RECORDED_MS = 1000;

/** A program that is gone is waited for no longer than this when its end cannot be recorded. */
const MAX_ENDED_MS = 1500;

/** The parts of one running terminal, from its header to its exit. */
export class LiveTerminal {
  readonly claims: ClaimHolder;
  readonly commands: Commands;
  readonly detection: ShellActivityTracker;
  readonly inputWriter: InputWriter;
  readonly history: ScreenHistory;
  /** What is recorded of it, to read from. */
  readonly recording: RecordedTerminal;
  readonly lifecycle: Lifecycle;
  readonly pty: Pty;
  readonly parser: OutputParser;
  readonly screen: LiveScreen;
  readonly resizer: Resizer;
  readonly title = new Title();
  readonly #init: TerminalInit;
  readonly #listener: TerminalListener;
  readonly #appender: Appender;
  readonly #echoGuard = new EchoGuard();
  readonly #snapshots: SnapshotWriter;
  readonly #pipeline: OutputPipeline;
  readonly #opened = Promise.withResolvers<void>();
  readonly #ended = Promise.withResolvers<PtyExit>();
  /** Resolves when the header and the first claim are recorded. */
  readonly opened = this.#opened.promise;
  /** Resolves when the program ended and everything is recorded, or cannot be; never fails. */
  readonly ended = this.#ended.promise;
  #exit: PtyExit | undefined;
  #lostReason: LostReason | undefined;
  #isOver = false;
  #isDetached = false;
  #isAbandoned = false;
  #isDisposed = false;

  constructor(init: TerminalInit, listener: TerminalListener) {
    const { row, pty, size, recordings, integration, options } = init;
    this.#init = init;
    this.pty = pty;
    this.#listener = listener;
    const trustForeign = options.trustForeignMarkers ?? false;
    this.recording = recordings.forTerminal(row);
    this.history = new ScreenHistory(this.recording);
    this.commands = new Commands(this.recording);
    this.#appender = new Appender({
      recording: init.recording,
      backlog: init.backlog,
      handleRecorded: (recorded) => this.#handleRecorded(recorded),
      lastSequence: init.earlier?.lastSequence,
      handleWaiting: () => {
        if (recordings.blocked) listener.handleChange();
      },
    });
    this.lifecycle = new Lifecycle(row.id, () => listener.handleChange());
    this.parser = new OutputParser({ nonces: integration?.nonces, trustForeign });
    this.detection = new ShellActivityTracker({
      pty,
      integration,
      modes: () => this.parser.modes,
      resumed: init.earlier && integration && toResumedCommands(init.earlier),
      drawnAtPrompt: init.earlier?.drawnAtPrompt,
      append: (fact) => this.append(fact),
      lastSequence: () => this.lastSequence,
      isBlocked: () => this.blocked !== undefined,
      handleChange: () => listener.handleChange(),
      handleProblem: (error) => listener.handleProblem(error),
    });
    this.inputWriter = new InputWriter(
      {
        pty,
        appender: this.#appender,
        lifecycle: this.lifecycle,
        facts: (state) => this.detection.facts(state),
        answerReader: () => this.detection.answerReader(),
        guardEcho: (bytes) => this.#echoGuard.guard(bytes),
        claimSettled: () => this.claims.settled(MAX_RECORDED_MS),
        takesInput: options.mode !== "pipe",
        handleProblem: (error) => listener.handleProblem(error),
        handleInput: (bytes, isSecret) => this.detection.handleInput(bytes, isSecret),
      },
      this.detection.ready,
    );
    this.resizer = new Resizer(size, {
      apply: (wanted) => pty.resize(wanted),
      record: async (wanted, by) => {
        const fact = { type: "resize", ...wanted, ...(by === undefined ? {} : { by }) } as const;
        await settleWithin(this.append(fact).catch(listener.handleProblem), MAX_RECORDED_MS);
      },
    });
    this.screen = init.screens.open({
      size,
      source: this.history,
      answeredThrough: init.earlier?.lastSequence ?? 0,
      isNew: init.earlier === undefined,
      handleReply: (reply) => void this.inputWriter.answer(reply).catch(listener.handleProblem),
      handleCheckpoint: (saved) => this.#snapshots.noteDrawn(saved),
    });
    this.#snapshots = new SnapshotWriter({
      screen: this.screen,
      keep: (saved) => recordings.saveSnapshot(row.id, saved),
      // A screen that is closed meanwhile needs no snapshot.
      handleProblem: (error) => void (this.#isDisposed || listener.handleProblem(error)),
    });
    this.claims = new ClaimHolder({
      state: init.claim.state,
      ...(init.earlier ? { first: init.earlier.firstClaim } : {}),
      log: {
        record: async (change) => void (await this.appendNow(claimFact(change))),
        changed: () => listener.handleChange(),
        // Nobody drives a terminal that ended, so it does not matter who holds it then.
        failed: (error) => void (this.lifecycle.isRunning && listener.handleProblem(error)),
      },
    });
    this.#pipeline = new OutputPipeline({
      pty,
      parser: this.parser,
      appender: this.#appender,
      echoGuard: this.#echoGuard,
      earlier: init.earlier,
      preamble: integration?.shell === "fish" ? new FishPreamble() : undefined,
      handlePiece: (piece, recorded) => this.#handlePiece(piece, recorded),
      recycle: (sequence, bytes) => listener.recycle(sequence, bytes),
      handleLoss: (error) => listener.handleProblem(error),
    });
  }

  /** Records the header and begins to read; the listener is told from here on. */
  start(): void {
    this.#open().then(this.#opened.resolve, this.#opened.reject);
    this.#run().then(this.#ended.resolve, this.#ended.reject);
  }

  get id(): TerminalId {
    return this.#init.row.id;
  }

  /** The newest entry that everybody was told of. */
  get lastSequence(): number {
    return this.#appender.lastSequence;
  }

  /** Whether no entry can follow any more. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Whether its screen is gone, and only the recording left. */
  get isDisposed(): boolean {
    return this.#isDisposed;
  }

  /** Why nothing new is shown: something of this terminal cannot be recorded now. */
  get blocked(): RecordingBlocked | undefined {
    const { blocked } = this.#init.recordings;
    return blocked && this.#appender.isWaiting ? blocked : undefined;
  }

  /** Everything there is to say of it now, but for its viewers and what people are asked. */
  get status(): Omit<TerminalStatus, "viewers" | "inputRequests" | "lapsedRequests"> {
    const { row, cwdFallback, options } = this.#init;
    return {
      row,
      state: this.lifecycle.state,
      claim: this.claims.state,
      exit: this.#exit && pickExitStatus(this.#exit),
      lostReason: this.#lostReason,
      limits: this.pty.limits,
      title: this.title.text,
      shell: this.#init.integration?.shell,
      cwdFallback,
      size: this.resizer.size,
      ...this.detection.status,
      recordingBlocked: this.blocked,
      ...this.commands.status,
      inputPolicy: options.inputPolicy ?? "open",
      controlRequests: this.claims.requests,
    };
  }

  /** Whether recordings can be written changed. */
  noteStorage(): void {
    this.#listener.handleChange();
  }

  /** Appends a fact; everybody is told of its entry. */
  append(fact: Fact): Promise<RecordedEntry> {
    return this.#appender.append({ fact });
  }

  /** Appends a fact that must be recorded before it counts; refused where that cannot be done at the moment. */
  async appendNow(fact: Fact): Promise<RecordedEntry> {
    requireRecording(this.#init.recordings);
    return await this.append(fact);
  }

  /** Takes an entry that the recorder made by itself, such as a gap. */
  insert(entry: RecordedEntry): void {
    this.#appender.insert({ entry });
  }

  /** Ends everything that was started; resolves when death is proven and the end is recorded, unless the disk is in trouble. */
  async kill(graceMs = DEFAULT_GRACE_MS): Promise<KillReport> {
    checkGrace(graceMs);
    if (this.lifecycle.state === "active") this.lifecycle.enter("killing");
    const report = await this.#init.pty.kill(graceMs);
    await settleWithin(this.ended, MAX_ENDED_MS);
    return report;
  }

  /** Leaves the program to the next host: pending input is delivered, unrecorded output stays with the PTY. */
  async detach(): Promise<void> {
    this.#isDetached = true;
    this.lifecycle.detach();
    await settleWithin(this.inputWriter.settled, MAX_RECORDED_MS);
    const recorded = Promise.all([this.#appender.flushInput(), this.#pipeline.detach()]);
    await settleWithin(recorded, MAX_RECORDED_MS);
    this.claims[Symbol.dispose]();
  }

  /** Takes nothing more down of a terminal whose recording is removed, so that its end waits for no disk. */
  abandon(): void {
    this.#isAbandoned = true;
    this.#appender.abandon();
  }

  /** What was started here and still runs, also behind the program's end. */
  async processes(): Promise<readonly Survivor[]> {
    return (await this.pty.processes?.()) ?? [];
  }

  /** Ends the program, and what it left in the background, and lets go of everything but the recording. */
  async close(graceMs = DEFAULT_GRACE_MS): Promise<void> {
    await using rest = new AsyncDisposableStack();
    for (const part of [this.claims, this.screen, this.#echoGuard]) rest.use(part);
    rest.defer(() => void (this.#isDisposed = true));
    rest.defer(() => this.#disposeOfPty());
    // What was typed before gets there; and where the program ended a moment ago, its end is still being recorded.
    await settleWithin(this.inputWriter.settled, MAX_RECORDED_MS);
    await (this.lifecycle.isRunning ? this.kill(graceMs) : this.#endBackground(graceMs));
    await settleWithin(this.#snapshots.settled, MAX_RECORDED_MS);
  }

  /** What outlived the program has as long to end; what cannot be asked to is ended at once with the Pty. */
  async #endBackground(graceMs: number): Promise<void> {
    await settleWithin(this.ended, MAX_ENDED_MS);
    if (this.#exit) await this.pty.kill(graceMs).catch(this.#listener.handleProblem);
  }

  /** If the end cannot be recorded yet, the keeper keeps the program until it is. */
  async #disposeOfPty(): Promise<void> {
    if (this.#isOver) return await this.pty[Symbol.asyncDispose]();
    this.ended.then(() => this.pty[Symbol.asyncDispose]()).catch(this.#listener.handleProblem);
  }

  async #open(): Promise<void> {
    const { earlier } = this.#init;
    const recorded = firstFacts(this.#init).map((fact) => this.append(fact));
    if (earlier) {
      this.title.note(earlier.title ?? "");
      if (earlier.command) this.commands.note(earlier.command);
      for (const one of recorded) one.catch(this.#listener.handleProblem);
    }
    this.lifecycle.enter("active");
    // A disk in trouble must not keep a program from its terminal.
    if (!earlier) await Promise.all(recorded);
  }

  async #run(): Promise<PtyExit> {
    const report = (error: unknown): undefined => {
      if (!this.#isDetached && !this.#isAbandoned) this.#listener.handleProblem(error);
    };
    const ending = await this.#pipeline.run().catch((error: unknown): undefined => {
      this.#lostReason = lostReasonOf(error);
      report(error);
    });
    const unknown = { outputBytes: this.#pipeline.offset, drained: false };
    this.resizer[Symbol.dispose]();
    if (this.#isDetached) return unknown;
    this.detection.handleExit();
    const reason = this.#lostReason;
    const last = ending ? exitFact(ending) : reason && lostFact(reason, unknown.outputBytes);
    // A terminal is over also when that cannot be recorded.
    if (last) await this.#appender.finish(last).catch(report);
    this.#exit = ending;
    this.#isOver = true;
    this.lifecycle.enter(ending ? "exited" : "lost");
    this.claims[Symbol.dispose]();
    if (last) await this.#appender.seal().catch(report);
    this.#snapshots.keep();
    await this.#init.integration?.dispose().catch(report);
    return ending ?? unknown;
  }

  #handlePiece(piece: OutputPiece, recorded: Promise<unknown>): void {
    const title = piece.title === undefined ? undefined : this.title.setByProgram(piece.title);
    if (title) this.append(title).catch(this.#listener.handleProblem);
    this.detection.handlePiece(piece, recorded);
  }

  #handleRecorded(recorded: EntryWithViews): void {
    const { entry, drawn } = recorded;
    this.commands.note(entry);
    if (entry.type === "title") this.title.note(entry.title);
    this.#snapshots.note(entry, drawn);
    this.#listener.handleRecorded(recorded);
  }
}

/** Refuses what must be recorded to count, while nothing can be recorded. */
export function requireRecording({ state }: Pick<Recordings, "state">): void {
  if (state.state === "ok") return;
  throw new NacreError("recording_blocked", `nothing can be recorded now: ${state.message}`, {
    suggestion: "Make room on the disk, then try again.",
  });
}

/** Waits for something to be recorded, but not for the disk: where that is full, or fails for a while, it is `recording_blocked`. */
export async function unlessBlocked<Value>(
  recorded: Promise<Value>,
  recordings: Pick<Recordings, "state" | "blocked" | "onState">,
): Promise<Value> {
  const { promise, resolve, reject } = Promise.withResolvers<Value>();
  recorded.then(resolve, reject);
  const refuse = (): void => {
    try {
      requireRecording(recordings);
    } catch (error) {
      reject(error);
    }
  };
  using failing = new BlockedTimer(() => recordings.blocked, refuse);
  const look = (): void => {
    failing.look();
    if (recordings.blocked?.reason === "diskFull") refuse();
  };
  using _listening = recordings.onState(look);
  look();
  return await promise;
}
