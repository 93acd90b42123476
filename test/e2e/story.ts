// The transport contract: one story that goes the same way whoever tells it, over whichever wire.
import type { Size, TerminalId } from "@nacre/contracts";
import { type Launch, PID_FILE, type TerminalUser } from "./terminal-user.ts";

const SIZE: Size = { cols: 90, rows: 20 };
const OTHER_SIZE: Size = { cols: 100, rows: 30 };

/** What the shell of the story is started with. */
export const launchIn = (cwd: string): Launch => ({
  name: "story",
  cwd,
  size: SIZE,
  env: { STORY: "told", HISTFILE: "/dev/null" },
});

/** A program that says a word once it has the terminal, and then does nothing until it is ended; the quotes keep the word out of the echo. */
const lasting = (word: string): string =>
  `sh -c 'echo $$ > ${PID_FILE}; echo ${word[0]}""${word.slice(1)}; exec sleep 300'`;

/** What the user was told in the story, step by step. */
export interface Told {
  readonly id: TerminalId;
  readonly steps: Readonly<Record<string, unknown>>;
  /** Everything that could be read after the end. */
  readonly text: string;
}

/** What everybody must have been told. */
export const EXPECTED_STEPS = {
  success: { lines: ["told"], exitCode: 0, inputNeeded: undefined },
  failure: { lines: ["it breaks"], exitCode: 7, inputNeeded: undefined },
  question: { lines: ["Your name? "], exitCode: null, inputNeeded: "line" },
  answered: 0,
  resized: OTHER_SIZE,
  sized: 0,
  interrupted: 130,
  terminated: 143,
  ended: 3,
};

/** What must be recorded beside input and output, in this order. */
export const EXPECTED_FACTS = [
  { type: "header", ...SIZE },
  { type: "claim", epoch: 1, by: "the caller" },
  { type: "cwd" },
  ...commandWith({ exitCode: 0 }),
  ...commandWith({ exitCode: 7 }),
  ...commandWith({ exitCode: 0 }),
  ...commandWith({ exitCode: 0 }, { type: "resize", ...OTHER_SIZE, by: "the caller" }),
  ...commandWith({ exitCode: 130 }),
  ...commandWith({ exitCode: 143 }),
  ...commandWith({ endedBy: "exit" }),
  { type: "exit", exitCode: 3 },
];

/** A command, what happened while it ran, and how it ended. */
function commandWith(ending: object, ...meanwhile: readonly object[]): readonly object[] {
  return [{ type: "command", quality: "exact" }, ...meanwhile, { type: "commandEnd", ...ending }];
}

/** Lines that can be read after the end, each once. */
export const EXPECTED_LINES = ["told", "it breaks", "Hello, Nacre.", "30 100", "waits", "sleeps"];

/** Tells the story; each step begins when the one before is over, so that nothing depends on time. */
export async function tellStory(user: TerminalUser, launch: Launch): Promise<Told> {
  const id = await user.create(launch);
  const run = async (commandLine: string): Promise<unknown> => {
    const { output, exitCode, inputNeeded } = await user.run(commandLine);
    return { lines: linesOf(output), exitCode, inputNeeded };
  };
  const steps: Record<string, unknown> = {};

  steps["success"] = await run('echo "$STORY"');
  steps["failure"] = await run("sh -c 'echo it breaks >&2; exit 7'");

  steps["question"] = await run(`read -p 'Your name? ' name && echo "Hello, $name."`);
  await user.type("Nacre\r");
  steps["answered"] = await user.untilCommandEnd();

  // A shell that shows its prompt draws it again for a new size; a program that asks does not.
  await run("read -p 'Another size? ' && stty size");
  steps["resized"] = await user.resize(OTHER_SIZE);
  await user.type("\r");
  steps["sized"] = await user.untilCommandEnd();

  await user.untilPrompt();
  await user.type(`${lasting("waits")}\r`);
  await user.untilText("waits");
  await user.type("\u0003");
  steps["interrupted"] = await user.untilCommandEnd();

  await user.untilPrompt();
  await user.type(`${lasting("sleeps")}\r`);
  await user.untilText("sleeps");
  await user.signal("SIGTERM");
  steps["terminated"] = await user.untilCommandEnd();

  await user.untilPrompt();
  await user.type("exit 3\r");
  steps["ended"] = await user.untilExit();
  return { id, steps, text: await user.readAll() };
}

/** Lines of a text, whatever ends them; a last one that is empty is none. */
export const linesOf = (text: string): readonly string[] =>
  text.replace(/\r*\n$/, "").split(/\r*\n\r*/);
