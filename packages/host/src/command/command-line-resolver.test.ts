import { MAX_COMMAND_LINE_LENGTH } from "@nacre/contracts";
import { describe, expect, test } from "vitest";
import { A, B, C, D, E, F, G, Story } from "./testing/story.ts";

describe("the line of a command", () => {
  test.for([
    [
      "as typed, where history joined it",
      "if a\rthen b\rfi\r",
      "if a; then b; fi",
      "if a\nthen b\nfi",
    ],
    ["as pasted", "\x1b[200~a\nb\x1b[201~\r", "a\nb", "a\nb"],
    ["as the shell says, after completion", "ls /t\t\r", "ls /tmp", "ls /tmp"],
    ["as the shell says, after an arrow", "\x1b[A\r", "make test", "make test"],
    ["as the shell says, after expansion", "!!\r", "make test", "make test"],
    ["as typed, where the shell does not say", " secret 'x'\r", undefined, " secret 'x'"],
    ["unknown, where nobody says", "\x1b[A\r", undefined, ""],
    ["as typed, where the shell says nothing", "ls\r", "", "ls"],
  ] as const)("is %s", ([, keys, reported, line]) => {
    const story = new Story().say(A, B).type(keys);
    if (reported !== undefined) story.say(E(reported));
    expect(story.say(C).lines).toEqual([line]);
  });

  test("has all lines that the shell asked for, where it does not say", () => {
    const story = new Story().say(B).type("cat <<X\r").say(F, G).type("a\r").say(F, G).type("X\r");
    story.type("next\r");
    expect(story.say(C).lines).toEqual(["cat <<X\na\nX"]);
  });

  test("is not spoiled by what was typed ahead", () => {
    const story = new Story()
      .say(A)
      .type("if a\rthen b\rfi\rls\r")
      .say(B, E("if a; then b; fi"), C);
    story.say(D(0), A, B, E("ls"), C);
    expect(story.lines).toEqual(["if a\nthen b\nfi", "ls"]);
  });

  test("is not mistaken for what a program was told before", () => {
    const story = new Story().say(B).type("cat\r").say(E("cat"), C).type("hello\rls\r\x04");
    story.say(D(0), A, B).type("pwd\r").say(E("pwd"), C);
    expect(story.lines).toEqual(["cat", "pwd"]);
  });

  test("is unknown where part of it may have been typed before the prompt", () => {
    const story = new Story().say(A).type("ec").say(B).type("ho hi\r").say(C);
    expect(story.lines).toEqual([""]);
  });

  test("is never a secret that was typed in between", () => {
    const story = new Story({ quality: "estimated" }).say(A, B).type("sudo x\n");
    story.type("hun");
    story.tracker.handleHiddenInput();
    story.say(D(0), A, B).type("ls\n");
    story.tracker.handleHiddenInput();
    story.say(D(0), A, B);
    story.tracker.handleHiddenInput();
    story.type("\n").say(D(0), A, B);
    expect(story.lines).toEqual(["sudo x", "ls", ""]);
  });

  test("is the one announced, however it was sent", () => {
    const story = new Story().say(A, B);
    story.tracker.expectLine("for x in a; do\n  # why\n\tls\ndone");
    story.type("\x1b[200~for x in a; do\t\t\x1b[201~\r").say(E("for x in a; do\n ls; done"), C);
    expect(story.lines).toEqual(["for x in a; do\n  # why\n\tls\ndone"]);
    expect(story.tracker.state.command?.isExpected).toBe(true);
    story.say(D(0), A, B).type("ls\r").say(E("ls"), C);
    expect(story.tracker.state.command?.isExpected).toBe(false);
  });

  test("is not the one announced when another runs first", () => {
    const story = new Story().say(A, B).type("make\r");
    story.tracker.expectLine("ls -l");
    story.type("ls -l\r").say(E("make"), C, D(0), A, B, E("ls -l"), C);
    expect(story.lines).toEqual(["make", "ls -l"]);
    expect(story.tracker.state.command?.isExpected).toBe(true);
  });

  test("is not the one announced after Ctrl-C", () => {
    const story = new Story().say(A, B);
    story.tracker.expectLine("ls");
    story.type("ls\x03").say(A, B).type("\x1b[A\r").say(C);
    expect(story.lines).toEqual([""]);
  });

  test("is the shell's own where the shell reports verbatim", () => {
    const story = new Story({ reportsVerbatim: true }).say(B).type("a  b\r").say(E("a b"), C);
    expect(story.lines).toEqual(["a b"]);
  });

  test("that is too long is cut at a character and says so", () => {
    const line = `${"x".repeat(MAX_COMMAND_LINE_LENGTH - 1)}😀`;
    expect(new Story().say(B, E(line), C).facts[0]).toMatchObject({
      commandLine: "x".repeat(MAX_COMMAND_LINE_LENGTH - 1),
      commandLineTruncated: true,
    });
  });

  test("of which the shell gives only the beginning says so", () => {
    const cut = {
      kind: "commandLine",
      line: "abc",
      lineTruncated: true,
      quality: "exact",
    } as const;
    expect(new Story().say(B, cut, C).facts[0]).toMatchObject({
      commandLine: "abc",
      commandLineTruncated: true,
    });
  });
});
