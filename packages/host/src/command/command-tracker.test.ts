import { describe, expect, test } from "vitest";
import { A, B, C, D, E, F, G, P, Story } from "./testing/story.ts";

describe("a shell with full integration", () => {
  test("tells the line, the directory, the exit code and the duration of a command", () => {
    const story = new Story().say(P("/tmp"), A, B).type("false\r").say(E("false"), C).wait(12.4);
    expect(story.tracker.state).toMatchObject({
      phase: "running",
      quality: "exact",
      hasMarkers: true,
      detection: true,
      command: { commandId: "c1", commandLine: "false", cwd: "/tmp", isExpected: false },
    });
    story.say(D(1), A, B);
    expect(story.facts).toEqual([
      { type: "cwd", cwd: "/tmp", quality: "exact" },
      { type: "command", commandId: "c1", commandLine: "false", cwd: "/tmp", quality: "exact" },
      { type: "commandEnd", commandId: "c1", exitCode: 1, durationMs: 12, endedBy: "marker" },
    ]);
    expect(story.tracker.state).toEqual({
      phase: "prompt",
      quality: "exact",
      hasMarkers: true,
      detection: true,
      cwd: "/tmp",
    });
  });

  test("is not trusted before its first marker", () => {
    expect(new Story().tracker.state).toEqual({
      phase: "starting",
      quality: "none",
      hasMarkers: false,
      detection: false,
    });
  });

  test("passes through its phases", () => {
    const story = new Story();
    const phases = [A, B, F, G, E("a"), C, D(0), A, B].map(
      (marker) => story.say(marker).tracker.state.phase,
    );
    expect(phases.join(" ")).toBe(
      "starting prompt continuation continuation continuation running starting starting prompt",
    );
  });

  test("may end a command without a code", () => {
    const story = new Story().say(B, E("x"), C, D());
    expect(story.facts[1]).toEqual({
      type: "commandEnd",
      commandId: "c1",
      durationMs: 0,
      endedBy: "marker",
    });
  });

  test("may say nothing of the end: the next prompt or command then tells", () => {
    const story = new Story().say(B, E("a"), C, A, B, E("b"), C, C);
    expect(story.facts.filter(({ type }) => type === "commandEnd")).toEqual([
      { type: "commandEnd", commandId: "c1", durationMs: 0, endedBy: "prompt" },
      { type: "commandEnd", commandId: "c2", durationMs: 0, endedBy: "prompt" },
    ]);
  });

  test("that dies leaves its command without a code", () => {
    const story = new Story().say(B, E("sleep 9"), C).wait(300).exit();
    expect(story.facts[1]).toEqual({
      type: "commandEnd",
      commandId: "c1",
      durationMs: 300,
      endedBy: "exit",
    });
    expect(story.exit().facts).toHaveLength(2);
  });

  test("ends nothing that did not begin", () => {
    expect(new Story().say(D(0), A, B, D(1), A, B).facts).toEqual([]);
  });

  test("begins no command by input alone", () => {
    expect(new Story().say(A, B).type("ls\r").facts).toEqual([]);
  });

  test("does not listen to the markers of others", () => {
    const story = new Story().say(A, B, E("cat evil"), C);
    story.quality = "marker";
    story.say(D(0), P("/evil"), A, B, E("forged"), C, D(0));
    expect(story.facts).toHaveLength(1);
    expect(story.tracker.state).toMatchObject({ phase: "running", quality: "exact" });
  });
});

describe("a shell with a prompt only", () => {
  const plain = () => new Story({ quality: "estimated" }).say(P("/"), D(0), A, B);

  test("begins commands by the line that is sent, and ends them by the prompt, with their code", () => {
    const story = plain().type("fal").type("se\n").wait(5).say(D(1), A, B);
    expect(story.facts.slice(1)).toEqual([
      { type: "command", commandId: "c1", commandLine: "false", cwd: "/", quality: "estimated" },
      { type: "commandEnd", commandId: "c1", exitCode: 1, durationMs: 5, endedBy: "marker" },
    ]);
    expect(story.tracker.state).toMatchObject({ quality: "estimated", detection: true });
  });

  test("runs nothing for an empty line", () => {
    expect(plain().type("  \n").say(D(0), A, B).lines).toEqual([]);
  });

  test("runs one command over several lines", () => {
    const story = plain().type("if true\n").say(F, G);
    expect(story.tracker.state.phase).toBe("continuation");
    story.type("then ls; fi\n");
    expect(story.tracker.state.phase).toBe("running");
    expect(story.say(D(0), A, B).lines).toEqual(["if true"]);
    expect(story.facts).toHaveLength(3);
  });

  test("takes no answer to a program for a command", () => {
    const story = plain().type("cat\n").type("hello\n").type("\x04").say(D(0), A, B);
    expect(story.lines).toEqual(["cat"]);
  });

  test("runs the line that was announced, whole", () => {
    const story = plain();
    story.tracker.expectLine("if true\nthen ls; fi");
    story.type("if true\nthen ls; fi\n").say(F, G, D(0), A, B);
    expect(story.lines).toEqual(["if true\nthen ls; fi"]);
    expect(story.facts).toHaveLength(3);
  });

  test("is not taken for idle while its builtin reads", () => {
    const story = plain().type("read x\n").idle({ lineEditor: false, forMs: 60_000 });
    expect(story.tracker.state.phase).toBe("running");
  });
});

describe("a shell without integration", () => {
  test("is only watched, and everything is an estimate without code and duration", () => {
    const story = new Story({ quality: "none" }).idle().type("make\r").wait(900).job();
    expect(story.tracker.state).toMatchObject({
      phase: "running",
      quality: "estimated",
      detection: false,
    });
    story.idle().type("cd /\r").idle();
    expect(story.facts).toEqual([
      { type: "command", commandId: "c1", commandLine: "make", quality: "estimated" },
      { type: "commandEnd", commandId: "c1", endedBy: "foreground" },
      { type: "command", commandId: "c2", commandLine: "cd /", quality: "estimated" },
      { type: "commandEnd", commandId: "c2", endedBy: "prompt" },
    ]);
  });

  test("that is not seen at a prompt runs no commands", () => {
    const story = new Story({ quality: "none" }).type("hello\r").job().type("x\r").exit();
    expect(story.facts).toEqual([]);
    expect(story.tracker.state.quality).toBe("none");
  });

  test("may have markers of others, if those are let through", () => {
    const story = new Story({ quality: "none" });
    story.quality = "marker";
    story.say(P("/x"), A, B).type("ls\r").say(C, D(0), A, B);
    expect(story.facts).toMatchObject([
      { type: "cwd", quality: "marker" },
      { type: "command", commandLine: "ls", cwd: "/x", quality: "marker" },
      { type: "commandEnd", exitCode: 0, endedBy: "marker" },
    ]);
    expect(story.tracker.state).toMatchObject({ quality: "marker", detection: true });
  });
});

describe("integration that is lost", () => {
  test("is noticed when the shell idles in a command, but not while a builtin may be asking", () => {
    const story = new Story().say(A, B).type("source x\r").say(E("source x"), C);
    story.idle({ forMs: 4999 }).idle({ lineEditor: false, forMs: 60_000 });
    expect(story.facts).toHaveLength(1);
    story.idle({ forMs: 5000 });
    expect(story.facts[1]).toEqual({ type: "commandEnd", commandId: "c1", endedBy: "prompt" });
    expect(story.tracker.state).toMatchObject({ phase: "prompt", quality: "estimated" });
    story.type("ls\r").idle();
    expect(story.lines).toEqual(["source x", "ls"]);
  });

  test("is waited for when the shell has only just begun: a command is not seen twice", () => {
    const story = new Story().idle({ forMs: 499 }).type("ls\r").say(A, B, E("ls"), C, D(0), A, B);
    expect(story.lines).toEqual(["ls"]);
    const mute = new Story().idle({ forMs: 500 }).type("ls\r");
    expect(mute.lines).toEqual(["ls"]);
    expect(mute.tracker.state.quality).toBe("estimated");
  });

  test("counts again when it comes back", () => {
    const story = new Story().say(B, E("vared x"), C).idle({ forMs: 5000 }).say(D(0), A, B);
    expect(story.tracker.state).toMatchObject({ phase: "prompt", quality: "exact" });
    expect(story.facts).toHaveLength(2);
  });

  test("by exec of another shell ends the command at that shell's prompt", () => {
    const story = new Story().say(A, B).type("exec dash\r").say(E("exec dash"), C);
    story.replace("dash", true);
    expect(story.tracker.state).toMatchObject({ phase: "running", quality: "estimated" });
    story.idle({ lineEditor: false }).type("ls\n").job().idle({ lineEditor: false });
    expect(story.facts.slice(1)).toMatchObject([
      { type: "commandEnd", commandId: "c1", endedBy: "prompt" },
      { type: "command", commandLine: "ls", quality: "estimated" },
      { type: "commandEnd", commandId: "c2", endedBy: "foreground" },
    ]);
  });

  test("by exec of another program leaves the command open until that ends", () => {
    const story = new Story().say(A, B).type("exec vim\r").say(E("exec vim"), C);
    story.replace("vim", false);
    expect(story.tracker.state).toMatchObject({ phase: "running", quality: "none" });
    expect(story.exit().facts[1]).toMatchObject({ endedBy: "exit" });
  });

  test("that never came leaves a shell that is watched", () => {
    const story = new Story().idle({ lineEditor: false });
    expect(story.tracker.state.phase).toBe("starting");
    const { state } = story.idle({ forMs: 500 }).tracker;
    expect(state).toMatchObject({ phase: "prompt", quality: "estimated" });
  });

  test("in the prompt alone is made up for by watching", () => {
    const story = new Story().say(A).idle();
    expect(story.tracker.state).toMatchObject({ phase: "prompt", quality: "exact" });
  });
});
