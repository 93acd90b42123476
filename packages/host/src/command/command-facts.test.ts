import { TerminalRecordingEntryInputSchema } from "@nacre/contracts";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Marker } from "../shell/marker.ts";
import { A, B, C, D, E, F, G, P, Story } from "./testing/story.ts";

const marker = fc.oneof(
  fc.constantFrom<Marker>(A, B, C, F, G, D(), D(0), D(1)),
  fc.constantFrom("ls", "if a; then b; fi", "", "x".repeat(70_000), "\ud800").map(E),
  fc.constantFrom("/a", "/b", "c", "\0").map(P),
);
const quality = fc.constantFrom<Marker["quality"]>("exact", "marker");
const step = fc.oneof(
  fc.tuple(marker, quality).map(([one, its]) => (story: Story) => {
    story.quality = its;
    story.say(one);
  }),
  fc.constantFrom("ls\r", "if a\r", "\x1b[A", "\x03", "  \r").map((keys) => (story: Story) => {
    story.type(keys);
  }),
  fc.tuple(fc.boolean(), fc.nat({ max: 9000 })).map(([lineEditor, forMs]) => (story: Story) => {
    story.idle({ lineEditor, forMs });
  }),
  fc.boolean().map((isShell) => (story: Story) => void story.job().replace("x", isShell)),
  fc.nat({ max: 99 }).map((ms) => (story: Story) => void story.wait(ms)),
);

test("whatever happens, commands begin and end in turn and every fact can be recorded", () => {
  fc.assert(
    fc.property(
      fc.constantFrom("exact", "estimated", "none"),
      fc.array(step, { maxLength: 40 }),
      (injected, steps) => {
        const story = new Story({ quality: injected });
        for (const run of steps) run(story);
        story.exit();
        const place = {
          terminalId: "terminal:a",
          occurredAt: "2026-01-31T09:30:00.000Z",
          elapsedMs: 0,
        };
        for (const fact of story.facts)
          TerminalRecordingEntryInputSchema.parse({ ...place, ...fact });
        const turns = story.facts.filter(({ type }) => type !== "cwd");
        expect(turns.map(({ type }) => type)).toEqual(
          turns.map((_, index) => (index % 2 === 0 ? "command" : "commandEnd")),
        );
        expect(turns.length % 2).toBe(0);
        expect(story.tracker.state.command).toBeUndefined();
      },
    ),
    { numRuns: 1000 },
  );
});

test("no stream of forged markers changes what is known", () => {
  const story = new Story().say(P("/"), A, B, E("cat evil"), C);
  const { state } = story.tracker;
  story.quality = "marker";
  fc.assert(
    fc.property(fc.array(marker, { maxLength: 100 }), (markers) => {
      story.say(...markers);
      expect(story.tracker.state).toEqual(state);
    }),
    { numRuns: 2000 },
  );
  expect(story.facts).toHaveLength(2);
});
