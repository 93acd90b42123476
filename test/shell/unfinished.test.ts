// A sequence that a program begins and never ends hides nothing on the screen and from waits; viewers get all its bytes.
import type { OutputPosition } from "@nacre/contracts";
import { LOCAL_CALLER, type Terminal } from "@nacre/host";
import { afterAll, expect, test } from "vitest";
import { openHost } from "../support/open-host.ts";
import { shLine } from "../support/terminal-input.ts";
import { followed, type, untilText, viewOf } from "../support/terminal-output.ts";

const host = await openHost();
afterAll(() => host[Symbol.asyncDispose]());

const screenOf = async (terminal: Terminal): Promise<string> =>
  (await terminal.reader.readScreen("text")).text.trimEnd();

test.for([
  ["a title", "\\033]0;Name:", "]0;Name:", "\u001b]0;Name:"],
  ["a link", "\\033]8;;Name:", "]8;;Name:", "\u001b]8;;Name:"],
  ["a marker", "\\033]633;A", "]633;A", ""],
  ["a control sequence", "\\033[31", "[31", "\u001b[31"],
] as const)(
  "%s that is not ended in time is shown, and all that follows",
  async ([, begun, shown, viewed]) => {
    const terminal = await host.createTerminal(
      shLine(`printf '${begun}'; read x; echo visible $x; exec cat`),
    );
    const live = followed(terminal);
    await untilText(terminal, shown);
    expect(await screenOf(terminal)).toBe(shown);
    await type(terminal, "ada\n");
    await untilText(terminal, "visible ada");
    expect(await screenOf(terminal)).toBe(`${shown}ada\nvisible ada`);
    const { sequence } = await terminal.reader.readScreen("text");
    await terminal.kill(LOCAL_CALLER, 0);
    expect(viewOf(await live)).toContain(`${viewed}ada\r\nvisible ada\r\n`);
    // What is shown of the recording is what was shown then.
    expect(viewOf(await followed(terminal))).toBe(viewOf(await live));
    const past = await terminal.reader.readScreen("text", sequence);
    expect(past.text.trimEnd()).toBe(`${shown}ada\nvisible ada`);
  },
);

test("a megabyte behind a title that never ends is visible to its last line", async () => {
  const terminal = await host.createTerminal(shLine("printf '\\033]0;'; seq 1 150000"));
  const live = followed(terminal);
  await terminal.ended;
  const view = viewOf(await live);
  const lines = Array.from({ length: 150_000 }, (_, index) => `${index + 1}\r\n`).join("");
  expect(view).toBe(`\u001b]0;${lines}`);
  expect((await screenOf(terminal)).endsWith("149999\n150000")).toBe(true);
});

test("pages that are shorter than a sequence make up the whole output", async () => {
  const terminal = await host.createTerminal(shLine("printf '\\033[38;5;200mred\\033[m\\n'"));
  await terminal.ended;
  let all = "";
  let position: OutputPosition = { after: 0 };
  for (let isEnded = false; !isEnded;) {
    const page = await terminal.reader.readOutput({ position, maxBytes: 3 });
    all += page.data;
    position = page.position;
    isEnded = page.ended;
  }
  expect(all).toBe("\u001b[38;5;200mred\u001b[m\r\n");
});
