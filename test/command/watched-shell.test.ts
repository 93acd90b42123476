import assert from "node:assert/strict";
import { expect, test, vi } from "vitest";
import type { CommandFact, CommandPhase } from "../../packages/host/src/command/command-state.ts";
import { CommandTracker } from "../../packages/host/src/command/command-tracker.ts";
import { type InputNeed, InputWatch } from "../../packages/host/src/command/input-watch.ts";
import { requireProgram } from "../../packages/host/src/testing/require-program.ts";
import { Console, DEADLINE } from "./console.ts";

/** A shell without integration, of which only the processes are watched. */
class WatchedShell implements AsyncDisposable {
  readonly console: Console;
  readonly tracker = new CommandTracker({ quality: "none" });
  readonly facts: CommandFact[] = [];
  readonly needed: (InputNeed["kind"] | undefined)[] = [];
  readonly #watch: InputWatch;

  private constructor(console: Console) {
    this.console = console;
    this.#watch = new InputWatch({
      look: () => console.look(),
      onInputNeeded: (needed) => this.needed.push(needed?.kind),
      onForeground: (signal) => this.#keep(this.tracker.handleForeground(signal)),
    });
  }

  static async start(shell: "bash" | "zsh" | "fish"): Promise<WatchedShell> {
    let notify = (): void => {};
    const console = await Console.start(shell, () => notify());
    const watched = new WatchedShell(console);
    notify = () => watched.#watch.noteOutput();
    return watched;
  }

  async send(keys: string): Promise<void> {
    const bytes = Buffer.from(keys);
    this.#keep(this.tracker.handleInput(bytes, 0));
    this.#watch.noteInput(bytes);
    await this.console.type(keys);
  }

  untilPhase(phase: CommandPhase): Promise<void> {
    return vi.waitFor(() => assert.equal(this.tracker.state.phase, phase), DEADLINE);
  }

  untilNeeded(kind: InputNeed["kind"]): Promise<void> {
    return vi.waitFor(() => assert.equal(this.#watch.inputNeeded?.kind, kind), DEADLINE);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#watch[Symbol.dispose]();
    await this.console[Symbol.asyncDispose]();
  }

  #keep(facts: readonly CommandFact[]): void {
    this.facts.push(...facts);
    this.#watch.setPhase(this.tracker.state.phase);
  }
}

test.for(["bash", "zsh", "fish"] as const)(
  "the commands of %s are told apart by watching alone",
  async (name, { skip }) => {
    requireProgram({ skip }, name);
    await using shell = await WatchedShell.start(name);
    await shell.untilPhase("prompt");
    await shell.send("cat\r");
    await shell.untilNeeded("line");
    await shell.send("hello\r\x04");
    await shell.untilPhase("prompt");
    await shell.send("cd /tmp\r");
    await shell.untilPhase("prompt");
    expect(shell.facts).toMatchObject([
      { type: "command", commandLine: "cat", quality: "estimated" },
      { type: "commandEnd", endedBy: "foreground" },
      { type: "command", commandLine: "cd /tmp" },
      { type: "commandEnd", endedBy: "prompt" },
    ]);
    expect(shell.needed).toEqual(["line", undefined]);
  },
);

test("a secret that is asked for is noticed, and so is that it was given", async () => {
  await using shell = await WatchedShell.start("bash");
  await shell.untilPhase("prompt");
  await shell.send("(read -s x; echo $x | wc -c)\r");
  await shell.untilNeeded("secret");
  await shell.send("hunter2\r");
  await shell.untilPhase("prompt");
  expect(shell.needed).toEqual(["secret", undefined]);
});

test("a shell in place of the shell is watched on", async () => {
  await using shell = await WatchedShell.start("bash");
  await shell.untilPhase("prompt");
  await shell.send("exec bash --norc\r");
  await shell.untilPhase("prompt");
  await shell.send("true\r");
  await shell.untilPhase("prompt");
  expect(shell.facts.filter(({ type }) => type === "commandEnd")).toHaveLength(2);
  expect(shell.tracker.state).toMatchObject({ quality: "estimated", phase: "prompt" });
});
