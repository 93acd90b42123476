import { afterAll, expect, test } from "vitest";
import type { ContentPart, Terminal, TerminalContent } from "@nacre/host";
import { LOCAL_CALLER } from "@nacre/host";
import { requireProgram } from "../../packages/host/src/testing/require-program.ts";
import { openHost } from "../support/open-host.ts";
import { shellNamed, shLine } from "../support/terminal-input.ts";
import { DEADLINE_MS, followed, type, untilText, viewOf } from "../support/terminal-output.ts";

const host = await openHost();
afterAll(() => host[Symbol.asyncDispose]());

const textOf = ({ parts }: TerminalContent): string =>
  parts.map((part) => (part.kind === "command" ? part.output : part.text)).join("");

const commandsIn = ({ parts }: TerminalContent): Extract<ContentPart, { kind: "command" }>[] =>
  parts.filter((part) => part.kind === "command");

/** What a fresh terminal of the same size shows when this is written to it. */
async function drawn(terminal: Terminal, text: string) {
  const bytes = new Uint8Array(Buffer.from(text));
  const changes = (async function* () {
    yield await Promise.resolve({ kind: "output", sequence: 1, bytes } as const);
  })();
  const { size } = await terminal.reader.readScreen("text");
  const picture = await host.screens.draw({
    recording: "r",
    start: undefined,
    size,
    changes,
    format: "cells",
  });
  const { content, cursor, alternate } = picture;
  return { content, cursor, alternate };
}

async function shown(terminal: Terminal) {
  const { content, cursor, alternate } = await terminal.reader.readScreen("cells");
  return { content, cursor, alternate };
}

/** Runs one command line and waits for the prompt after it. */
async function run(terminal: Terminal, line: string): Promise<void> {
  const after = terminal.lastSequence;
  await type(terminal, `${line}\r`);
  const ended = { until: [{ kind: "commandEnd" } as const], after, timeoutMs: DEADLINE_MS };
  const { outcome, sequence } = await terminal.wait(ended);
  expect(outcome).toBe("commandEnd");
  const until = [{ kind: "prompt" } as const];
  const prompt = await terminal.wait({ until, after: sequence, timeoutMs: DEADLINE_MS });
  expect(prompt.outcome).toBe("prompt");
}

async function startShell(): Promise<Terminal> {
  const terminal = await host.createTerminal(shellNamed("bash"));
  await terminal.wait({ until: [{ kind: "prompt" }], timeoutMs: DEADLINE_MS });
  return terminal;
}

/** Drawing gives way to whatever else the machine does. */
const PATIENCE = { timeout: 120_000 };

/** Content that is not provisional any more; threads that draw give way, so that it may be until everything is drawn. */
async function finalContent(terminal: Terminal): Promise<TerminalContent> {
  let content: TerminalContent | undefined;
  const read = async (): Promise<boolean> => {
    content = await terminal.reader.readContent();
    return content.provisional;
  };
  await expect.poll(read, { timeout: 10 * DEADLINE_MS }).toBe(false);
  return content as unknown as TerminalContent;
}

test("content comes in parts: each command with its line, output and code, and what is between", async () => {
  const terminal = await startShell();
  await run(terminal, "echo one");
  await run(terminal, "(exit 4)");
  await type(terminal, "cat\r");
  await expect.poll(() => terminal.commands.running?.commandLine).toBe("cat");
  const content = await terminal.reader.readContent();
  expect(commandsIn(content)).toMatchObject([
    { commandLine: "echo one", output: "one\r\n", isComplete: true, exitCode: 0 },
    { commandLine: "(exit 4)", output: "", isComplete: true, exitCode: 4 },
    { commandLine: "cat", output: "", isComplete: false },
  ]);
  expect(content.parts[0]).toMatchObject({ kind: "unclassified" });
  expect(content.truncated).toBe(false);
});

test("all parts together are the whole output without markers", async () => {
  const terminal = await startShell();
  const following = followed(terminal);
  await run(terminal, "seq 1 50");
  await run(terminal, "printf '\\033[31mred\\033[0m\\n'");
  await terminal.kill(LOCAL_CALLER, 0);
  const content = await terminal.reader.readContent();
  expect(textOf(content)).toBe(viewOf(await following));
  expect(textOf(content)).not.toContain("\u001b]633");
  expect(content.sequence).toBe(terminal.lastSequence);
});

test(
  "content that was cut draws the same screen as all of it, with the command that runs",
  PATIENCE,
  async () => {
    const terminal = await startShell();
    await run(terminal, "echo before");
    await type(terminal, "seq 1 300000; printf '\\033[44m'; seq 1 3; cat\r");
    await untilText(terminal, "300000\n1\n2\n3\n");
    const content = await finalContent(terminal);
    expect(content.truncated).toBe(true);
    expect(textOf(content).length).toBeLessThan(1_500_000);
    expect(commandsIn(content)).toMatchObject([{ isComplete: false }]);
    expect(await drawn(terminal, textOf(content))).toEqual(await shown(terminal));
  },
);

test("content that was cut inside a full-screen program draws that program", PATIENCE, async () => {
  const flood =
    "i=0; while [ $i -lt 6000 ]; do printf '\\033[H\\033[7mframe %s%200s' $i; i=$((i+1)); done";
  const terminal = await host.createTerminal(
    shLine(`echo main; printf '\\033[?1049h\\033[3;10r'; ${flood}; printf '\\033[20;5Hdone'; cat`),
  );
  await untilText(terminal, "done");
  const content = await finalContent(terminal);
  expect(content.truncated).toBe(true);
  const picture = await shown(terminal);
  expect(picture.alternate).toBe(true);
  expect(await drawn(terminal, textOf(content))).toEqual(picture);
});

/** What a snapshot may have: content, one chunk more, and the screen before it. */
const MAX_CONTENT_LENGTH = 1024 * 1024 + 256 * 1024;

/** Resolves when a terminal has written so much. */
async function untilWritten(terminal: Terminal, bytes: number): Promise<void> {
  using feed = terminal.subscribe({ after: 0, whenBehind: "replay", isInternal: true });
  for await (const message of feed) {
    const entry = message.kind === "entry" ? message.entry : undefined;
    if (entry?.type === "output" && entry.offset >= bytes) return;
  }
}

test(
  "A-F1: in the middle of a flood without line ends content is there soon and small, and is whole after it",
  PATIENCE,
  async () => {
    const terminal = await host.createTerminal(shLine("exec base64 -w 0 /dev/urandom"));
    for (let number = 1; number <= 3; number++) {
      await untilWritten(terminal, number * 12 * 1024 * 1024);
      const before = terminal.lastSequence;
      const content = await terminal.reader.readContent();
      expect(content.truncated).toBe(true);
      expect(content.sequence).toBeGreaterThanOrEqual(before);
      expect(textOf(content).length).toBeLessThan(MAX_CONTENT_LENGTH);
    }
    await terminal.kill(LOCAL_CALLER, 0);
    // Once everything is drawn, the screen before the newest output is there.
    const content = await finalContent(terminal);
    expect(await drawn(terminal, textOf(content))).toEqual(await shown(terminal));
  },
);

test("a full-screen program is shown as it is to who comes later", async (context) => {
  requireProgram(context, "less");
  const terminal = await host.createTerminal(shLine("seq 1 500 | less"));
  await untilText(terminal, "23\n");
  await terminal.sendKeys(["G"], { by: LOCAL_CALLER });
  await untilText(terminal, "500");
  await terminal.wait({ until: [{ kind: "idle", quietMs: 100 }], timeoutMs: DEADLINE_MS });
  const picture = await shown(terminal);
  expect((await terminal.reader.readScreen("text")).text).toContain("500");
  // The whole recording, fed to a terminal that never saw it.
  await terminal.kill(LOCAL_CALLER, 0);
  const messages = await followed(terminal);
  const upToKill = viewOf(messages).split("\u001b[?1049l")[0] ?? "";
  expect(await drawn(terminal, upToKill)).toEqual(picture);
});

test("a terminal that is cleared begins empty for everybody, and its recording keeps everything", async () => {
  const terminal = await host.createTerminal(shLine("stty -echo; echo before; cat"));
  await untilText(terminal, "before\n");
  await terminal.clear(LOCAL_CALLER);
  expect((await terminal.reader.readContent()).parts).toEqual([]);
  expect((await terminal.reader.readScreen("text")).text.trim()).toBe("");
  using late = terminal.subscribe();
  const { value } = await late.next();
  expect(value).toMatchObject({ kind: "snapshot" });
  expect(JSON.stringify(value)).not.toContain("before");
  await type(terminal, "after\n");
  await untilText(terminal, "after\n");
  const content = await terminal.reader.readContent();
  expect(content.parts).toEqual([{ kind: "unclassified", text: "after\r\n" }]);
  expect(await drawn(terminal, textOf(content))).toEqual(await shown(terminal));
  expect(viewOf(await followedSoFar(terminal))).toContain("before");
});

/** Everything that was recorded until now. */
async function followedSoFar(terminal: Terminal) {
  const messages: Awaited<ReturnType<typeof followed>> = [];
  const last = terminal.lastSequence;
  for await (const message of terminal.subscribe({ after: 0, whenBehind: "replay" })) {
    messages.push(message);
    if (message.kind === "entry" && message.entry.sequence >= last) break;
  }
  return messages;
}

test("any moment can be drawn again, not only the present", async () => {
  const terminal = await host.createTerminal(shLine("stty -echo; echo first; cat"));
  const moment = await untilText(terminal, "first\n");
  await type(terminal, "second\n");
  await untilText(terminal, "second\n");
  const then = await terminal.reader.readScreen("text", moment);
  expect(then).toMatchObject({ sequence: moment });
  expect(then.text.trim()).toBe("first");
  expect((await terminal.reader.readScreen("text")).text.trim()).toBe("first\nsecond");
});
