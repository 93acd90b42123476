import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterAll, describe, expect, test, vi } from "vitest";
import type { SavedScreen, ScreenChange } from "./screen-change.ts";
import { Screens } from "./screens.ts";
import { MemorySource } from "./testing/memory-source.ts";
import { openScreen } from "./testing/open-screen.ts";

const SIZE = { cols: 20, rows: 4 };
const screens = new Screens({ maxWaitingBytes: 0 });
afterAll(() => screens[Symbol.asyncDispose]());

const encode = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);

async function* listed(changes: readonly ScreenChange[]): AsyncGenerator<ScreenChange> {
  for (const change of changes) yield await Promise.resolve(change);
}

describe("a live screen", () => {
  test("shows every change that was written before it is asked, and none after", async () => {
    const { screen, output } = openScreen(screens);
    output("hello\r\n");
    const last = output("world");
    const picture = screen.picture("text");
    output(" and later");
    expect(await picture).toMatchObject({
      sequence: last,
      size: SIZE,
      text: "hello\nworld\n\n",
      cursor: { row: 1, column: 5, visible: true },
    });
    expect((await screen.picture("text")).text).toBe("hello\nworld and later\n\n");
  });

  test("A-F1: a glance does not wait for what was written and is not drawn yet", async () => {
    const { screen, output } = openScreen(screens);
    const first = output("hello");
    expect((await screen.picture("text")).sequence).toBe(first);
    const flood = new Uint8Array(256 * 1024).fill(0x78);
    let last = first;
    for (let count = 0; count < 40; count++) last = output(flood);
    const asked = [screen.picture("text"), screen.glance("text")];
    const seen = await Promise.race(asked);
    expect(seen.sequence).toBeGreaterThanOrEqual(first);
    expect(seen.sequence).toBeLessThan(last);
    expect((await Promise.all(asked))[0]?.sequence).toBe(last);
  });

  test("shows what is drawn so far to who does not wait for the rest of a flood", async () => {
    const source = new MemorySource();
    const rest = Promise.withResolvers<void>();
    const { screen } = openScreen(screens, {
      source: {
        start: () => source.start(),
        changesAfter: async function* (sequence) {
          yield* source.changesAfter(sequence);
          await rest.promise;
        },
      },
    });
    const first = source.output(screen, "drawn");
    const whole = screen.picture("text");
    expect(await screen.pictureWithin("text", 1)).toMatchObject({ sequence: first });
    const last = source.output(screen, " later");
    rest.resolve();
    await whole;
    expect(await screen.pictureWithin("text", 60_000)).toMatchObject({
      sequence: last,
      text: "drawn later\n\n\n",
    });
  });

  test("leaves the bytes it is given to their owner", async () => {
    const { screen, text } = openScreen(screens);
    expect(await text()).toBe("");
    const pool = Buffer.alloc(8192, "x");
    const bytes = new Uint8Array(pool.buffer, pool.byteOffset, 5);
    bytes.set(encode("first"));
    screen.write({ kind: "output", sequence: 1, bytes });
    bytes.set(encode("other"));
    expect(await text()).toBe("first");
    expect(pool.length).toBe(8192);
  });

  test("follows changes of the size and clears", async () => {
    const { screen, source, output, text } = openScreen(screens);
    output("gone");
    source.clear(screen);
    source.resize(screen, { cols: 30, rows: 2 });
    output("x".repeat(25));
    expect(await text()).toBe("x".repeat(25));
    expect((await screen.picture("cells")).size).toEqual({ cols: 30, rows: 2 });
  });

  test("begins with what its source has, and answers nothing of it that was answered", async () => {
    const source = new MemorySource();
    source.output(undefined, "old \u001b[6n");
    const answeredThrough = source.output(undefined, "older \u001b[5n");
    source.output(undefined, "new \u001b[5n");
    const { text, replies } = openScreen(screens, { source, answeredThrough });
    expect(await text()).toBe("old older new");
    expect(replies).toEqual(["\u001b[0n"]);
  });

  test("of something new reads nothing before it draws, and its source only after a loss", async () => {
    const source = new MemorySource();
    const start = vi.spyOn(source, "start");
    const { screen, output, text } = openScreen(screens, { source, isNew: true });
    output("all of it");
    expect(await text()).toBe("all of it");
    expect(await screen.suspend()).toBe(true);
    output(" and more");
    expect(await text()).toBe("all of it and more");
    expect(start).not.toHaveBeenCalled();
  });

  test("goes on from a saved screen, and does without one that cannot be read", async () => {
    const first = openScreen(screens);
    first.output("saved ");
    const good = new MemorySource();
    good.saved = await first.screen.save();
    expect(await openScreen(screens, { source: good }).text()).toBe("saved");
    const bad = new MemorySource();
    bad.saved = { sequence: 99, size: SIZE, bytes: encode("not a snapshot") };
    bad.output(undefined, "from the beginning");
    expect(await openScreen(screens, { source: bad }).text()).toBe("from the beginning");
  });

  test("that falls far behind reads what it missed from its source, each change once", async () => {
    const { screen, source, output, text } = openScreen(screens, { size: { cols: 20, rows: 900 } });
    expect(await text()).toBe("");
    const lines = Array.from({ length: 800 }, (_, at) => `line ${at}`);
    const filler = "\u001b[m".repeat(4_000);
    let lag = 0;
    for (const line of lines) {
      output(`${line}${filler}\r\n`);
      lag = Math.max(lag, screen.lagBytes);
    }
    expect(await text()).toBe(lines.join("\n"));
    expect(lag).toBeGreaterThan(4 * 1024 * 1024);
    expect(source.reads).toBeGreaterThan(1);
    expect(screen.lagBytes).toBe(0);
  });

  test("that falls behind once more while it catches up misses nothing", async () => {
    const source = new MemorySource();
    const gate = Promise.withResolvers<void>();
    const { screen, output, text, replies } = openScreen(screens, { source });
    const read = source.changesAfter.bind(source);
    source.changesAfter = async function* (sequence) {
      // The present that it reads up to is over when it ends.
      const present: ScreenChange[] = [];
      for await (const change of read(sequence)) present.push(change);
      if (source.reads === 1) await gate.promise;
      yield* present;
    };
    output("first ");
    const picture = screen.picture("text");
    await expect.poll(() => source.reads).toBe(1);
    const filler = encode("\u001b[m".repeat(200_000));
    for (let at = 0; at < 8; at++) output(filler);
    output("last\u001b[5n");
    gate.resolve();
    expect((await picture).text.trim()).toBe("first");
    // Nobody asks for more, and it catches up all the same.
    await expect.poll(() => replies).toEqual(["\u001b[0n"]);
    expect(await text()).toBe("first last");
  });

  test("whose source fails says so, and works when that works again", async () => {
    const source = new MemorySource();
    const start = source.start.bind(source);
    source.start = () => Promise.reject(new Error("disk on fire"));
    const { screen, text } = openScreen(screens, { source });
    source.output(screen, "kept");
    await expect(screen.picture("text")).rejects.toMatchObject({ code: "unavailable" });
    source.start = start;
    expect(await text()).toBe("kept");
  });

  test("is over when it is disposed", async () => {
    const { screen, output } = openScreen(screens);
    output("text");
    const open = screen.picture("text");
    screen[Symbol.dispose]();
    await expect(open).rejects.toThrow("the screen was closed");
    await expect(screen.save()).rejects.toThrow("the screen was closed");
    expect(() => output("more")).not.toThrow();
  });
});

describe("queries", () => {
  test("are answered once each, and at most 100 in a second", async () => {
    const { output, text, replies } = openScreen(screens);
    output("\u001b[2;3H\u001b[6n");
    await text();
    expect(replies).toEqual(["\u001b[2;3R"]);
    output("\u001b[5n".repeat(5_000));
    await text();
    // The first one may be of another second.
    expect([100, 101]).toContain(replies.length);
  });
});

describe("emulators", () => {
  test("that nobody uses are dropped, and come back as they were", async () => {
    await using patient = new Screens({ idleMs: 60_000 });
    const { screen, output, text, source } = openScreen(patient);
    output("\u001b[1mbold\u001b[?2004h\u001b[2;4r");
    const before = await screen.picture("ansi");
    expect(await patient.suspendIdle()).toBe(0);
    expect(await patient.suspendIdle(performance.now() + 60_001)).toBe(1);
    expect(patient.liveCount).toBe(0);
    const { reads } = source;
    expect(await screen.picture("ansi")).toEqual(before);
    output("\u001b[4;1Hend");
    expect(await text()).toBe("bold\n\n\nend");
    expect(source.reads).toBe(reads);
    expect(patient.liveCount).toBe(1);
  });

  test("are bounded in number, and every screen is right all the same", async () => {
    await using small = new Screens({ maxLive: 3 });
    const all = Array.from({ length: 12 }, () => openScreen(small));
    for (const round of ["one", "two", "three"]) {
      for (const [at, { output }] of all.entries()) output(`${round}${at} `);
    }
    const texts = await Promise.all(all.map(({ text }) => text()));
    expect(texts).toEqual(all.map((_, at) => `one${at} two${at} three${at}`));
    await expect.poll(() => small.liveCount).toBeLessThanOrEqual(3);
  });
});

describe("the past", () => {
  const changes: readonly ScreenChange[] = [
    { kind: "output", sequence: 1, bytes: encode("one\u001b[6n") },
    { kind: "resize", sequence: 2, size: { cols: 10, rows: 2 } },
    { kind: "output", sequence: 5, bytes: encode("\r\ntwo") },
  ];

  test("is drawn from the beginning or from a saved moment", async () => {
    const start = await screens.save({
      recording: "r",
      start: undefined,
      size: SIZE,
      changes: listed(changes.slice(0, 2)),
    });
    expect(start).toMatchObject({ sequence: 2, size: { cols: 10, rows: 2 } });
    const from = async (saved: SavedScreen | undefined, rest: readonly ScreenChange[]) =>
      screens.draw({
        recording: "r",
        start: saved,
        size: SIZE,
        changes: listed(rest),
        format: "text",
      });
    const whole = await from(undefined, changes);
    expect(whole).toMatchObject({ sequence: 5, text: "one\ntwo" });
    expect(await from(start, changes.slice(2))).toEqual(whole);
  });

  test("is drawn for many at once, in a thread that ends by itself", async () => {
    await using brief = new Screens({ pastIdleMs: 1 });
    const draw = (word: string): Promise<{ text: string }> =>
      brief.draw({
        recording: "r",
        start: undefined,
        size: SIZE,
        changes: listed([{ kind: "output", sequence: 1, bytes: encode(word) }]),
        format: "text",
      });
    const words = Array.from({ length: 20 }, (_, at) => `word ${at}`);
    const drawn = await Promise.all(words.map(draw));
    expect(drawn.map(({ text }) => text.trim())).toEqual(words);
    expect((await draw("once more")).text.trim()).toBe("once more");
  });

  test("that cannot be read is an error with its reason", async () => {
    const bad = { sequence: 1, size: SIZE, bytes: encode("nothing") };
    await expect(
      screens.draw({ recording: "r", start: bad, size: SIZE, changes: listed([]), format: "text" }),
    ).rejects.toMatchObject({ code: "internal", message: /cannot be read: version 110/ });
    async function* failing(): AsyncGenerator<ScreenChange> {
      yield* listed(changes);
      throw new Error("the disk is gone");
    }
    await expect(
      screens.save({ recording: "r", start: undefined, size: SIZE, changes: failing() }),
    ).rejects.toThrow("the disk is gone");
  });
});

test("whoever waits when all screens are closed is told", async () => {
  const closing = new Screens();
  const { screen, output } = openScreen(closing);
  output("text");
  const picture = screen.picture("text");
  const past = closing.draw({
    recording: "r",
    start: undefined,
    size: SIZE,
    changes: listed([]),
    format: "text",
  });
  const told = Promise.allSettled([picture, past]);
  await closing[Symbol.asyncDispose]();
  expect(await told).toMatchObject([
    { status: "rejected", reason: { code: "unavailable" } },
    { status: "rejected", reason: { code: "unavailable" } },
  ]);
});

async function* endless(handleEnd?: () => void): AsyncGenerator<ScreenChange> {
  try {
    for (let sequence = 1; ; sequence++) {
      yield { kind: "output", sequence, bytes: encode("x".repeat(10_000)) };
      await new Promise((resolve) => setImmediate(resolve));
    }
  } finally {
    handleEnd?.();
  }
}

test("R-4: a caller that draws many recordings has one turn at a time, others have theirs", async () => {
  await using own = new Screens();
  const draw = (caller: string, recording: string, changes: AsyncIterable<ScreenChange>) =>
    own.draw({
      recording,
      requester: { caller },
      start: undefined,
      size: SIZE,
      changes,
      format: "text",
    });
  const hostile = Array.from({ length: 20 }, (_, at) => draw("mallory", `r${at}`, endless()));
  const told = Promise.allSettled(hostile);
  const mine = listed([{ kind: "output", sequence: 1, bytes: encode("mine") }]);
  expect((await draw("bob", "r0", mine)).text.trim()).toBe("mine");
  await own[Symbol.asyncDispose]();
  expect(new Set((await told).map(({ status }) => status))).toEqual(new Set(["rejected"]));
});

test("R-4: what nobody waits for any more is not drawn, whether it runs or waits", async () => {
  await using own = new Screens();
  const draw = (changes: AsyncIterable<ScreenChange>, signal?: AbortSignal) =>
    own.draw({
      recording: "r",
      requester: { caller: "mallory", signal },
      start: undefined,
      size: SIZE,
      changes,
      format: "text",
    });
  const leaving = new AbortController();
  const begun = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  async function* running(): AsyncGenerator<ScreenChange> {
    begun.resolve();
    yield* endless(ended.resolve);
  }
  const all = [draw(running(), leaving.signal), draw(endless(), leaving.signal)];
  const told = Promise.allSettled(all);
  const next = draw(listed([{ kind: "output", sequence: 1, bytes: encode("next") }]));
  await begun.promise;
  leaving.abort();
  for (const one of await told) {
    expect(one).toMatchObject({ status: "rejected", reason: { code: "unavailable" } });
  }
  await ended.promise;
  expect((await next).text.trim()).toBe("next");
});

test("R-4: draws that never end keep nobody else waiting, and end by their time limit", async () => {
  await using own = new Screens({ maxDrawMs: 2_000 });
  const draw = (recording: string, changes: AsyncIterable<ScreenChange>) =>
    own.draw({ recording, start: undefined, size: SIZE, changes, format: "text" });
  const hostile = Array.from({ length: 8 }, () => draw("hostile", endless()));
  const ends = Promise.all(hostile.slice(0, 2).map((one) => one.catch((error: unknown) => error)));
  for (const one of hostile) one.catch(() => undefined);
  const mine = await draw("mine", listed([{ kind: "output", sequence: 1, bytes: encode("mine") }]));
  expect(mine.text.trim()).toBe("mine");
  for (const error of await ends)
    expect(error).toMatchObject({
      code: "timeout",
      field: "at",
      suggestion: expect.stringContaining("read the output of this recording"),
    });
});

test("screens that nobody disposed of do not keep the process alive", async () => {
  const program = `
    const { Screens } = await import(${JSON.stringify(new URL("./screens.ts", import.meta.url).href)});
    const source = { start: async () => undefined, changesAfter: async function* () {} };
    const screen = new Screens().open({ size: { cols: 20, rows: 4 }, source, handleReply() {} });
    screen.write({ kind: "output", sequence: 1, bytes: new TextEncoder().encode("shown") });
    console.log((await screen.picture("text")).text.trim());
    screen.write({ kind: "output", sequence: 2, bytes: new TextEncoder().encode("more") });`;
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["--conditions=nacre-source", "--input-type=module", "--eval", program],
    { timeout: 20_000 },
  );
  expect(stdout).toBe("shown\n");
});
