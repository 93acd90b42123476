import { describe, expect, test } from "vitest";
import { B, C, E, P, Story } from "./testing/story.ts";

describe("the working directory", () => {
  const unverified = (story: Story, path: string) => story.tracker.handleUnverifiedCwd(path);

  test("is recorded when it changes", () => {
    expect(new Story().say(P("/a"), P("/a"), P("/b"), P("/b")).facts).toEqual([
      { type: "cwd", cwd: "/a", quality: "exact" },
      { type: "cwd", cwd: "/b", quality: "exact" },
    ]);
  });

  test("that anyone could print counts until the shell names one", () => {
    const story = new Story();
    expect(unverified(story, "/a")).toEqual([{ type: "cwd", cwd: "/a", quality: "marker" }]);
    expect(unverified(story, "/a")).toEqual([]);
    expect(story.say(P("/a")).facts).toEqual([{ type: "cwd", cwd: "/a", quality: "exact" }]);
    expect(unverified(story, "/evil")).toEqual([]);
    expect(story.tracker.state.cwd).toBe("/a");
  });

  test("that anyone could print is not said of an exact command", () => {
    const story = new Story();
    unverified(story, "/evil");
    story.say(B, E("ls"), C);
    expect(story.facts[0]).not.toHaveProperty("cwd");
  });

  test.for(["relative", "", "/a\0b", `/${"x".repeat(4096)}`, "/\ud800"])("is never %j", (path) => {
    expect(new Story().say(P(path)).facts).toEqual([]);
  });

  test("says nothing of whether commands can be told apart", () => {
    expect(new Story().say(P("/a")).tracker.state.detection).toBe(false);
  });
});
