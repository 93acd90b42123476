import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { Screens } from "./screens.ts";
import { FAULTY_WORKER, fault, openScreen } from "./testing/open-screen.ts";

/** Ten seconds are waited for on purpose. */
const LONG_TEST = { timeout: 60_000 };

const screens = new Screens({ workerFile: FAULTY_WORKER });
afterAll(() => screens[Symbol.asyncDispose]());

describe("an exception in the emulator", () => {
  test("costs only the sequence that throws", async () => {
    const { output, text } = openScreen(screens);
    output(`one ${fault("throw")}two `);
    output("three");
    expect(await text()).toBe("one two three");
  });

  test("does not make a query be answered twice", async () => {
    const { output, text, replies } = openScreen(screens);
    output(`\u001b[5n${fault("throw")}\u001b[6n`);
    expect(await text()).toBe("");
    expect(replies).toEqual(["\u001b[0n", "\u001b[1;1R"]);
  });
});

describe("a thread that ends", () => {
  test("is replaced, and all its screens are as they were", async () => {
    const others = Array.from({ length: 10 }, (_, at) => {
      const other = openScreen(screens);
      other.output(`screen ${at}`);
      return other;
    });
    await Promise.all(others.map(({ text }) => text()));
    const victim = openScreen(screens);
    victim.output("before ");
    expect(await victim.text()).toBe("before");
    // Two threads end: the slice is only left out when it ended a second one.
    victim.output(fault("exit"));
    victim.output("after");
    expect(await victim.text()).toBe("before after");
    const texts = await Promise.all(others.map(({ text }) => text()));
    expect(texts).toEqual(others.map((_, at) => `screen ${at}`));
  });

  test("leaves no query unanswered, and answers none twice", async () => {
    const { output, text, replies } = openScreen(screens);
    output("\u001b[2;2H\u001b[6n");
    output(`\u001b[3;3H\u001b[6n`);
    await text();
    output(fault("exit"));
    output("\u001b[4;4H\u001b[6n");
    await text();
    output("\u001b[5n");
    await text();
    expect(replies).toEqual(["\u001b[2;2R", "\u001b[3;3R", "\u001b[4;4R", "\u001b[0n"]);
  });

  test("does not lose a change of those that are busy", async () => {
    const busy = openScreen(screens, { size: { cols: 40, rows: 5 } });
    const victim = openScreen(screens);
    for (let line = 1; line <= 500; line++) {
      busy.output(`${line}${"\u001b[m".repeat(300)}\r\n`);
      if (line === 250) for (const part of ["x", fault("exit"), "y"]) victim.output(part);
    }
    expect(await busy.text()).toBe("497\n498\n499\n500");
    expect(await victim.text()).toBe("xy");
  });

  test("goes on from the last checkpoint, not from the beginning", async () => {
    const { screen, source, output, text } = openScreen(screens);
    const filler = "\u001b[m".repeat(20_000);
    for (let at = 0; at < 20; at++) output(filler);
    output("here ");
    await screen.save();
    let oldest = Infinity;
    const read = source.changesAfter.bind(source);
    source.changesAfter = (sequence) => {
      oldest = Math.min(oldest, sequence);
      return read(sequence);
    };
    output(`${fault("exit")}and there`);
    expect(await text()).toBe("here");
    expect(oldest).toBeGreaterThan(40);
  });
});

describe("a thread that does nothing any more, between two steps", () => {
  test(
    "is ended after ten seconds, told of, and its screens are drawn anew",
    LONG_TEST,
    async () => {
      const ends: string[] = [];
      const handleEnd = ({ message }: Error): void => void ends.push(message);
      await using own = new Screens({ workerFile: FAULTY_WORKER, handleEnd });
      const directory = mkdtempSync(join(tmpdir(), "nacre-hang-"));
      const victim = openScreen(own);
      const other = openScreen(own);
      other.output("untouched");
      victim.output("before ");
      expect(await victim.text()).toBe("before");
      victim.output(fault(`hang once ${join(directory, "hung")}`));
      victim.output("after");
      expect(await victim.text()).toBe("before after");
      expect(await other.text()).toBe("untouched");
      expect(ends).toEqual(["it does not go on"]);
      rmSync(directory, { recursive: true });
    },
  );
});

describe("a thread that never ends its step", () => {
  test("is ended, and only the slice that holds it is left out", async () => {
    const victim = openScreen(screens);
    const other = openScreen(screens);
    other.output("untouched");
    victim.output("before ");
    victim.output(fault("spin"));
    victim.output("after");
    expect(await victim.text()).toBe("before after");
    expect(await other.text()).toBe("untouched");
  });

  test("does not hold back who writes, nor screens of other threads", async () => {
    await using two = new Screens({ workerFile: FAULTY_WORKER, threads: 2 });
    const victim = openScreen(two);
    const other = openScreen(two);
    await Promise.all([victim.text(), other.text()]);
    victim.output(fault("spin"));
    // Were it held back, this loop would not end before the watchdog ended the thread.
    for (let at = 0; at < 1_000; at++) victim.output("more ");
    other.output("quick");
    expect(await other.text()).toBe("quick");
    expect((await victim.text()).startsWith("more")).toBe(true);
  });

  test("fails a moment of the past alone", async () => {
    const live = openScreen(screens);
    live.output("alive");
    const bytes = new TextEncoder().encode(fault("spin"));
    const past = screens.draw({
      recording: "r",
      start: undefined,
      size: { cols: 20, rows: 4 },
      changes: (async function* () {
        yield await Promise.resolve({ kind: "output", sequence: 1, bytes } as const);
      })(),
      format: "text",
    });
    await expect(past).rejects.toMatchObject({ code: "unavailable" });
    expect(await live.text()).toBe("alive");
  });
});
