import {
  type Command,
  type CommandId,
  DEFAULT_COMMAND_TIMEOUT_MS,
  DEFAULT_EXCERPT_BYTES,
  NacreError,
  type RunCommandInput,
  type RunCommandResult,
} from "@nacre/contracts";
import { Excerpt } from "./excerpt.ts";
import type { FeedMessage } from "./subscription.ts";
import { type Waitable, waitFor } from "./wait.ts";

/** What running a command line needs of its Terminal. */
export interface CommandRunner extends Waitable {
  /** Whether commands can be told apart at all. */
  readonly detectsCommands: boolean;
  readonly runningCommand: Command | undefined;
  /** The command that began last. */
  readonly newestCommand: Command | undefined;
}

/** A command line and how it gets to the shell. */
export interface CommandRun extends Omit<RunCommandInput, "id"> {
  /** Hands the line to the shell, as one command. */
  submit(): Promise<void>;
}

/** A shell that is starting or drawing its prompt gets this long before it counts as busy. */
const PROMPT_WAIT_MS = 10_000;

/** Runs a command line in the live shell; returns the moment its end is known. */
export async function runCommand(
  terminal: CommandRunner,
  command: CommandRun,
): Promise<RunCommandResult> {
  const { timeoutMs = DEFAULT_COMMAND_TIMEOUT_MS, maxOutputBytes } = command;
  const deadline = performance.now() + timeoutMs;
  await requirePrompt(terminal, Math.min(timeoutMs, PROMPT_WAIT_MS));
  const run = new Run(terminal, maxOutputBytes ?? DEFAULT_EXCERPT_BYTES);
  await command.submit();
  return await run.follow(Math.max(0, deadline - performance.now()));
}

async function requirePrompt(terminal: CommandRunner, timeoutMs: number): Promise<void> {
  if (!terminal.detectsCommands) {
    throw new NacreError("unsupported", "commands cannot be told apart in this terminal", {
      suggestion: "Type the line and wait for text or quiet, or run the command by itself.",
    });
  }
  if (terminal.runningCommand) throw busy(terminal.runningCommand);
  const { outcome } = await waitFor(terminal, { until: [{ kind: "prompt" }], timeoutMs });
  if (outcome === "prompt") return;
  if (outcome === "exit") {
    throw new NacreError("terminal_exited", "the shell of this terminal ended");
  }
  throw terminal.runningCommand
    ? busy(terminal.runningCommand)
    : new NacreError("conflict", "the shell of this terminal shows no prompt", {
        suggestion: "Look at its screen; a program may have taken it over.",
      });
}

const busy = ({ commandLine, commandId }: Command): NacreError =>
  new NacreError("conflict", `this terminal runs ${JSON.stringify(commandLine)}`, {
    suggestion: `Wait for the end of command ${commandId}, or use another terminal.`,
  });

/** One command line from its submission to its end. */
class Run {
  readonly #terminal: CommandRunner;
  readonly #maxOutputBytes: number;
  /** What was written since the line was handed over; once the command begins, what it wrote. */
  #excerpt: Excerpt;
  readonly #startSequence: number;
  #commandId: CommandId | undefined;
  #firstSequence: number | undefined;

  constructor(terminal: CommandRunner, maxOutputBytes: number) {
    this.#terminal = terminal;
    this.#maxOutputBytes = maxOutputBytes;
    this.#excerpt = new Excerpt(maxOutputBytes);
    this.#startSequence = terminal.lastSequence;
  }

  async follow(timeoutMs: number): Promise<RunCommandResult> {
    const { promise, resolve } = Promise.withResolvers<RunCommandResult["outcome"]>();
    using stack = new DisposableStack();
    const timer = setTimeout(() => resolve("timeout"), timeoutMs);
    stack.defer(() => clearTimeout(timer));
    const feed = this.#terminal.subscribe({ after: this.#startSequence, whenBehind: "replay" });
    stack.use(feed);
    stack.use(
      this.#terminal.onChange(() => {
        const { inputNeeded, prompt } = this.#terminal.waitStatus;
        const isNew = ({ sequence }: { readonly sequence: number }): boolean =>
          sequence > this.#startSequence;
        if (inputNeeded && isNew(inputNeeded)) resolve("inputNeeded");
        const begun = this.#terminal.newestCommand;
        const hasBegun = begun !== undefined && begun.firstSequence > this.#startSequence;
        if (prompt && isNew(prompt) && !hasBegun) resolve("refused");
      }),
    );
    const following = this.#read(feed).then(resolve);
    const outcome = await Promise.race([promise, following.then(() => promise)]);
    return await this.#result(outcome);
  }

  async #read(feed: AsyncIterable<FeedMessage>): Promise<"ended" | "exited"> {
    for await (const message of feed) {
      if (message.kind !== "entry") continue;
      const { entry, view } = message;
      if (entry.type === "command" && this.#commandId === undefined) {
        this.#commandId = entry.commandId;
        this.#firstSequence = entry.sequence;
        this.#excerpt = new Excerpt(this.#maxOutputBytes);
      }
      if (view) this.#excerpt.push(view);
      if (entry.type === "commandEnd" && entry.commandId === this.#commandId) {
        return entry.endedBy === "exit" ? "exited" : "ended";
      }
    }
    return "exited";
  }

  async #result(outcome: RunCommandResult["outcome"]): Promise<RunCommandResult> {
    const command =
      this.#commandId === undefined ? undefined : await this.#terminal.findCommand(this.#commandId);
    const needed = this.#terminal.waitStatus.inputNeeded?.needed;
    return {
      outcome,
      ...(command ? { command } : {}),
      ...(outcome === "inputNeeded" && needed ? { inputNeeded: needed } : {}),
      output: this.#excerpt.read({ after: this.#firstSequence ?? this.#startSequence }),
    };
  }
}
