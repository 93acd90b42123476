import { setTimeout as wait } from "node:timers/promises";
import {
  type Caller,
  type Command,
  type CommandId,
  DEFAULT_COMMAND_TIMEOUT_MS,
  DEFAULT_EXCERPT_BYTES,
  type EntryOf,
  NacreError,
  type RunCommandInput,
  type RunCommandResult,
} from "@nacre/contracts";
import type { Pty } from "../pty/pty.ts";
import { Excerpt } from "./excerpt.ts";
import type { FeedMessage } from "./subscription.ts";
import type { InputEncoder } from "./input-encoder.ts";
import type { ShellActivityTracker } from "./shell-activity-tracker.ts";
import type { Terminal } from "./terminal.ts";
import { BlockedTimer, waitFor } from "./wait.ts";

/** Grace time between signals. */
const SIGNAL_GRACE_MS = 1000;

/** SIGINT first, as a person does; a shell that runs the command itself heeds only that. */
const SIGNAL_STEPS = ["SIGINT", "SIGTERM", "SIGKILL"] as const;

/** How often it is looked whether the command has begun or ended. */
const DEADLINE_POLL_MS = 20;

/** A shell on a busy machine begins a line this long after the deadline at the latest, or never. */
const MAX_BEGIN_MS = 10_000;

interface DeadlineDeps {
  readonly pty: Pick<Pty, "leader" | "signal" | "state">;
  readonly running: () => Command | undefined;
  /** The first command of its line that began since the line was handed over, whether it runs or has ended. */
  readonly findOwn: () => Promise<Command | undefined>;
}

/** Ends one command of a live shell when it takes too long, whoever still waits for it; the shell continues. */
export class CommandDeadline {
  readonly #deps: DeadlineDeps;
  #commandId: CommandId | undefined;
  #isPassed = false;
  #isCancelled = false;

  constructor(deps: DeadlineDeps, afterMs: number) {
    this.#deps = deps;
    // A program that ended meanwhile cannot be asked to end, and that is as good.
    setTimeout(() => void this.#end().catch(() => undefined), afterMs).unref();
  }

  /** Whether the command was ended because of it. */
  get isPassed(): boolean {
    return this.#isPassed;
  }

  /** Which command it is for. */
  begin(commandId: CommandId): void {
    this.#commandId = commandId;
  }

  /** The shell did not get the line. */
  cancel(): void {
    this.#isCancelled = true;
  }

  async #end(): Promise<void> {
    const { pty } = this.#deps;
    await this.#whenBegun();
    for (const signal of SIGNAL_STEPS) {
      if (!this.#isRunning()) return;
      this.#isPassed = true;
      const { foregroundProcessGroup } = await pty.state();
      const isShell = foregroundProcessGroup === pty.leader.pid;
      if (this.#isRunning() && (signal === "SIGINT" || !isShell)) await pty.signal(signal);
      const until = performance.now() + SIGNAL_GRACE_MS;
      while (this.#isRunning() && performance.now() < until) await nextPoll();
    }
  }

  /** A busy machine may begin the command after nobody listened any more, or after its time. */
  async #whenBegun(): Promise<void> {
    const until = performance.now() + MAX_BEGIN_MS;
    while (this.#commandId === undefined && !this.#isCancelled) {
      // What cannot be read now is looked for again.
      const own = await this.#deps.findOwn().catch(() => undefined);
      this.#commandId ??= own?.commandId;
      if (performance.now() >= until) return;
      if (this.#commandId === undefined) await nextPoll();
    }
  }

  #isRunning(): boolean {
    const id = this.#commandId;
    return id !== undefined && !this.#isCancelled && this.#deps.running()?.commandId === id;
  }
}

/** `ref: false`: a poll alone does not keep the process alive. */
const nextPoll = (): Promise<void> => wait(DEADLINE_POLL_MS, undefined, { ref: false });

/** A Terminal and what a command line is run with in it. */
export interface CommandRunner {
  readonly terminal: Terminal;
  readonly detection: ShellActivityTracker;
  readonly input: InputEncoder;
  readonly pty: DeadlineDeps["pty"];
}

type CommandRequest = Omit<RunCommandInput, "id">;

/** Terminals in which a line is being run: two at the same time would each be taken for the other. */
const busyTerminals = new WeakSet<Terminal>();

/** A shell that is starting or drawing its prompt gets this long before it counts as busy. */
const PROMPT_WAIT_MS = 10_000;

/**
 * A shell back at its prompt ran nothing, unless a command starts within this time: the prompt may belong to earlier
 * input.
 */
const REFUSED_MS = 250;

/** How often a shell that neither runs the line nor shows its prompt again is looked at. */
const EDITOR_POLL_MS = 500;

/** So many looks in a row find it editing a line before that line counts as refused: its markers may be on their way. */
const REFUSING_POLLS = 2;

/** Runs a command line in the live shell; returns the moment its end is known. */
export async function runCommand(
  runner: CommandRunner,
  command: CommandRequest,
  by: Caller,
): Promise<RunCommandResult> {
  const { terminal, detection, input } = runner;
  const { timeoutMs = DEFAULT_COMMAND_TIMEOUT_MS, maxOutputBytes } = command;
  const deadline = performance.now() + timeoutMs;
  if (busyTerminals.has(terminal)) throw alreadyRunning();
  busyTerminals.add(terminal);
  try {
    await requirePrompt(runner, Math.min(timeoutMs, PROMPT_WAIT_MS));
    using run = new CommandExecution(
      runner,
      maxOutputBytes ?? DEFAULT_EXCERPT_BYTES,
      startDeadline(runner, command),
    );
    const leftMs = Math.max(0, deadline - performance.now());
    const result = await run.follow(() => input.submit(command.commandLine, by), leftMs);
    // Left there, it would run with whatever is typed next.
    if (run.isLeftInEditor) await input.sendKeys(["C-c"], { by });
    return result;
  } finally {
    busyTerminals.delete(terminal);
    detection.expectLine(undefined);
  }
}

function startDeadline(
  { terminal: { commands, lastSequence: after }, pty }: CommandRunner,
  { endAfterMs, commandLine }: CommandRequest,
): CommandDeadline | undefined {
  if (endAfterMs === undefined) return undefined;
  const findOwn = async (): Promise<Command | undefined> =>
    (await commands.list({ after })).find((one) => one.commandLine === commandLine);
  return new CommandDeadline({ pty, running: () => commands.running, findOwn }, endAfterMs);
}

async function requirePrompt(
  { terminal, detection }: CommandRunner,
  timeoutMs: number,
): Promise<void> {
  const { commands } = terminal;
  if (!detection.detectsCommands) throw cannotDetectCommands();
  if (commands.running) throw busy(commands.running);
  const { outcome } = await waitFor(terminal, { until: [{ kind: "prompt" }], timeoutMs });
  // A shell that starts may turn out to report nothing, and one that started may have become another.
  if (!detection.detectsCommands) throw cannotDetectCommands();
  if (outcome === "prompt") return;
  const { blocked } = terminal.waitStatus;
  if (outcome === "recordingBlocked" && blocked) {
    throw new NacreError("recording_blocked", blocked.message, {
      suggestion: blocked.suggestion,
    });
  }
  if (outcome === "exit") {
    throw new NacreError("terminal_exited", "the shell of this terminal ended");
  }
  throw commands.running
    ? busy(commands.running)
    : new NacreError("conflict", "the shell of this terminal shows no prompt", {
        suggestion: "Look at its screen; a program may have taken it over.",
      });
}

const cannotDetectCommands = (): NacreError =>
  new NacreError(
    "unsupported",
    "this terminal has no shell integration, so nobody knows where commands end",
    {
      suggestion:
        "Run the command by itself, or type the line and wait for text or quiet. Terminals that are created with a shell instead of a command report where commands end: bash, zsh, fish, sh.",
    },
  );

const busy = ({ commandLine, commandId }: Command): NacreError =>
  new NacreError("conflict", `this terminal runs ${JSON.stringify(commandLine)}`, {
    suggestion: `Wait for the end of command ${commandId}, or use another terminal.`,
  });

const alreadyRunning = (): NacreError =>
  new NacreError("conflict", "a command line is being run in this terminal already", {
    suggestion: "Wait until it has ended, or use another terminal.",
  });

/** Without bracketed paste a shell would take each line for a command of its own. */
export function requireOneLine(commandLine: string, bracketedPaste: boolean): void {
  if (bracketedPaste || !/[\r\n]/.test(commandLine.trimEnd())) return;
  throw new NacreError("invalid_argument", "this shell takes only one line at a time", {
    field: "commandLine",
    suggestion: "Put it into one line, or run it by itself.",
  });
}

/** A line typed after text at the prompt would run together with it. */
export function requireEmptyLine(isOpen: boolean): void {
  if (!isOpen) return;
  throw new NacreError("conflict", "text stands at the prompt that nobody has submitted", {
    suggestion:
      "Nothing was typed. Clear it with Ctrl-C (`nacre keys T C-c`, terminal_keys) or Ctrl-U, or use another terminal.",
  });
}

type RunOutcome = RunCommandResult["outcome"];

const shellExitOf = ({ exitCode, signal }: EntryOf<"exit">): RunCommandResult["shellExit"] => ({
  exitCode,
  ...(signal === undefined ? {} : { signal }),
});

/** One command line from its submission to its end. */
class CommandExecution implements Disposable {
  readonly #terminal: Terminal;
  readonly #detection: ShellActivityTracker;
  readonly #maxOutputBytes: number;
  readonly #late: CommandDeadline | undefined;
  readonly #startSequence: number;
  readonly #outcome = Promise.withResolvers<RunOutcome>();
  readonly #stack = new DisposableStack();
  /** What was written since the line was handed over; once the command begins, what it wrote. */
  #excerpt: Excerpt;
  #inputs = 0;
  #commandId: CommandId | undefined;
  #firstSequence: number | undefined;
  /** The command ended without an exit code: the next line follows, unless the shell shows its prompt. */
  #goesOn = false;
  #refusal: NodeJS.Timeout | undefined;
  #isLeftInEditor = false;
  #shellExit: RunCommandResult["shellExit"];

  constructor(
    { terminal, detection }: CommandRunner,
    maxOutputBytes: number,
    late: CommandDeadline | undefined,
  ) {
    this.#terminal = terminal;
    this.#detection = detection;
    this.#late = late;
    this.#maxOutputBytes = maxOutputBytes;
    this.#excerpt = new Excerpt(maxOutputBytes);
    this.#startSequence = terminal.lastSequence;
  }

  async follow(submit: () => Promise<void>, timeoutMs: number): Promise<RunCommandResult> {
    const { resolve, reject } = this.#outcome;
    const timer = setTimeout(() => resolve("timeout"), timeoutMs);
    this.#stack.defer(() => clearTimeout(timer));
    const options = { after: this.#startSequence, whenBehind: "replay", isInternal: true } as const;
    const feed = this.#stack.use(this.#terminal.subscribe(options));
    const blocked = this.#stack.use(
      new BlockedTimer(
        () => this.#terminal.waitStatus.blocked,
        () => resolve("recordingBlocked"),
      ),
    );
    const handleChange = (): void => {
      blocked.look();
      this.#checkStatus();
    };
    this.#stack.use(this.#terminal.onChange(handleChange));
    const over = new AbortController();
    this.#stack.defer(() => over.abort());
    submit()
      .then(() => this.#watchEditor(over.signal))
      .catch((error: unknown) => {
        this.#late?.cancel();
        reject(error);
      });
    this.#read(feed).then(resolve, reject);
    return await this.#result(await this.#outcome.promise);
  }

  /** Whether the shell neither ran the line nor let it go, as fish does with one that it cannot parse. */
  get isLeftInEditor(): boolean {
    return this.#isLeftInEditor;
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#refusal);
    this.#stack.dispose();
  }

  #checkStatus(): void {
    const { inputNeeded, prompt } = this.#terminal.waitStatus;
    const isNew = (at: { readonly sequence: number } | undefined): boolean =>
      at !== undefined && at.sequence > this.#startSequence;
    if (isNew(inputNeeded)) this.#outcome.resolve("inputNeeded");
    if (!isNew(prompt) || this.#refusal) return;
    this.#refusal = setTimeout(() => {
      this.#refusal = undefined;
      const isStill = isNew(this.#terminal.waitStatus.prompt);
      if (isStill && this.#commandId === undefined) this.#outcome.resolve("refused");
      if (isStill && this.#goesOn) this.#outcome.resolve("ended");
    }, REFUSED_MS);
  }

  /** fish reports nothing for a line with a syntax error or without its end: it keeps editing it. */
  async #watchEditor(signal: AbortSignal): Promise<void> {
    const isUndecided = (): boolean => {
      const { prompt } = this.#terminal.waitStatus;
      const isSamePrompt = prompt !== undefined && prompt.sequence <= this.#startSequence;
      return isSamePrompt && this.#commandId === undefined && !signal.aborted;
    };
    for (let looks = 0; looks < REFUSING_POLLS;) {
      await wait(EDITOR_POLL_MS, undefined, { ref: false });
      if (!isUndecided()) return;
      // A shell that is gone edits nothing.
      const isEditing = await this.#detection.isEditingLine().catch(() => false);
      looks = isEditing ? looks + 1 : 0;
    }
    if (!isUndecided()) return;
    this.#isLeftInEditor = true;
    this.#outcome.resolve("refused");
  }

  async #read(feed: AsyncIterable<FeedMessage>): Promise<RunOutcome> {
    for await (const message of feed) {
      if (message.kind !== "entry") continue;
      const { entry, view } = message;
      if (entry.type === "input") this.#inputs++;
      if (entry.type === "command" && this.#isOwn(entry.commandId)) {
        this.#begin(entry.commandId, entry.sequence);
      }
      if (view) this.#excerpt.push(view);
      if (entry.type === "commandEnd" && entry.commandId === this.#commandId) {
        // A shell that got several lines at once tells no exit code when it goes on with the next.
        this.#goesOn = entry.endedBy !== "exit" && entry.exitCode === undefined && !entry.signal;
        // The end of the shell itself comes right behind it.
        if (!this.#goesOn && entry.endedBy !== "exit") return "ended";
      }
      if (entry.type === "exit") this.#shellExit = shellExitOf(entry);
    }
    return "exited";
  }

  #begin(commandId: CommandId, sequence: number): void {
    this.#commandId = commandId;
    this.#late?.begin(commandId);
    this.#goesOn = false;
    // What all the lines wrote is one output.
    if (this.#firstSequence !== undefined) return;
    this.#firstSequence = sequence;
    this.#excerpt = new Excerpt(this.#maxOutputBytes);
  }

  /** Where somebody else typed as well, only the line that was announced is ours; a shell may report it changed, as with `!!`. */
  #isOwn(commandId: CommandId): boolean {
    if (this.#goesOn) return true;
    if (this.#commandId !== undefined) return false;
    return this.#inputs <= 1 || commandId === this.#detection.expectedCommandId;
  }

  async #result(outcome: RunOutcome): Promise<RunCommandResult> {
    const command =
      this.#commandId === undefined
        ? undefined
        : await this.#terminal.commands.find(this.#commandId);
    const { inputNeeded, blocked } = this.#terminal.waitStatus;
    const needed = inputNeeded?.needed;
    return {
      outcome,
      ...(command ? { command } : {}),
      ...(this.#shellExit ? { shellExit: this.#shellExit } : {}),
      ...(this.#late?.isPassed === true ? { timedOut: true } : {}),
      ...(outcome === "inputNeeded" && needed ? { inputNeeded: needed } : {}),
      ...(blocked ? { recordingBlocked: blocked } : {}),
      output: this.#excerpt.read(
        { after: this.#firstSequence ?? this.#startSequence },
        this.#terminal.status.size,
      ),
    };
  }
}
