// A line is run alone: never behind text that stands at the prompt.
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { LOCAL_CALLER, type Terminal } from "@nacre/host";
import { afterAll, expect, test } from "vitest";
import { requireProgram } from "../../packages/host/src/testing/require-program.ts";
import { ownDirectory } from "../support/own-directory.ts";
import { openHost } from "../support/open-host.ts";
import { shellNamed } from "../support/terminal-input.ts";
import { DEADLINE_MS, type, untilText } from "../support/terminal-output.ts";

const host = await openHost();
afterAll(() => host[Symbol.asyncDispose]());

const run = (terminal: Terminal, commandLine: string) =>
  terminal.runCommand({ commandLine }, LOCAL_CALLER);

test.for(["bash", "zsh", "fish"])(
  "%s runs no line behind text that nobody has submitted",
  async (shell, context) => {
    requireProgram(context, shell);
    using directory = ownDirectory();
    const file = join(directory.path, "touched");
    const terminal = await host.createTerminal(shellNamed(shell));
    await run(terminal, "true");
    await type(terminal, `touch ${file}; `);
    await expect(run(terminal, "echo agent")).rejects.toMatchObject({
      code: "conflict",
      message: "text stands at the prompt that nobody has submitted",
    });
    await type(terminal, "\u0015");
    const { outcome, output } = await run(terminal, "echo agent");
    expect({ outcome, text: output.text }).toEqual({ outcome: "ended", text: "agent\r\n" });
    expect(existsSync(file)).toBe(false);
  },
);

const OPEN = { code: "conflict", message: "text stands at the prompt that nobody has submitted" };

test.for(["bash", "zsh", "fish"])(
  "%s runs no line behind text that was typed while a command ran",
  async (shell, context) => {
    requireProgram(context, shell);
    using directory = ownDirectory();
    const [fifo, file] = [join(directory.path, "fifo"), join(directory.path, "touched")];
    execFileSync("mkfifo", [fifo]);
    const terminal = await host.createTerminal(shellNamed(shell));
    await run(terminal, "true");
    const before = run(terminal, `printf be%s gun; cat < ${fifo}`);
    await untilText(terminal, "begun");
    await type(terminal, `touch ${file}; `);
    await writeFile(fifo, "");
    const { command } = await before;
    // The shell draws at its prompt what the kernel kept for it.
    const until = [{ kind: "text", text: "touch " } as const];
    await terminal.wait({ until, after: command?.lastSequence, timeoutMs: DEADLINE_MS });
    await expect(run(terminal, "echo agent")).rejects.toMatchObject(OPEN);
    await type(terminal, "\u0015");
    expect((await run(terminal, "echo agent")).output.text).toBe("agent\r\n");
    expect(existsSync(file)).toBe(false);
  },
);

test.for(["bash", "zsh", "fish"])(
  "%s runs lines after a program that read a key, which is not at the prompt",
  async (shell, context) => {
    requireProgram(context, shell);
    const terminal = await host.createTerminal(shellNamed(shell));
    await run(terminal, "true");
    const asks = "sh -c 'stty raw -echo; printf ask; head -c 1 >/dev/null; stty sane'";
    const before = run(terminal, asks);
    await untilText(terminal, "ask");
    await type(terminal, "q");
    const { output } = await before;
    const until = [{ kind: "commandEnd" } as const];
    await terminal.wait({ until, after: output.position.after, timeoutMs: DEADLINE_MS });
    expect(await run(terminal, "true")).toMatchObject({ outcome: "ended" });
  },
);

test.for(["bash", "zsh", "fish"])(
  "%s runs lines after reports of the focus, which are no text",
  async (shell, context) => {
    requireProgram(context, shell);
    const terminal = await host.createTerminal(shellNamed(shell));
    await run(terminal, "true");
    await type(terminal, "\u001b[I\u001b[O");
    expect(await run(terminal, "true")).toMatchObject({ outcome: "ended" });
  },
);

test.for(["echo $", "echo )", "if true", "if true\necho inner"])(
  "fish that does not run %j keeps nothing of it",
  async (line, context) => {
    requireProgram(context, "fish");
    const terminal = await host.createTerminal(shellNamed("fish"));
    await run(terminal, "true");
    expect(await run(terminal, line)).toMatchObject({ outcome: "refused" });
    const { outcome, command, output } = await run(terminal, "echo next");
    expect({ outcome, line: command?.commandLine, text: output.text }).toEqual({
      outcome: "ended",
      line: "echo next",
      text: "next\r\n",
    });
  },
);
