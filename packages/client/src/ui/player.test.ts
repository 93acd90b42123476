import type { EntryOf, TerminalRecordingEntry } from "@nacre/contracts";
import { expect, test, vi } from "vitest";
import { Player, type PlayerState } from "./player.ts";
import { entries } from "../testing/entries.ts";
import { MadeUpRecording, PaperScreen } from "../testing/made-up-recording.ts";

/** A header at 0, and output with the letters a, b, c… at these times. */
const letters = (...times: readonly number[]): readonly TerminalRecordingEntry[] =>
  entries([
    { type: "header", cols: 80, rows: 24 },
    ...times.map((elapsedMs, at) => ({
      type: "output" as const,
      data: String.fromCharCode(97 + at),
      offset: at,
      elapsedMs,
    })),
  ]);

const [, OUTPUT] = letters(0) as [TerminalRecordingEntry, EntryOf<"output">];

interface Playing {
  readonly player: Player;
  readonly screen: PaperScreen;
  readonly source: MadeUpRecording;
  readonly states: PlayerState[];
  /** Lets time pass, frame by frame. */
  readonly pass: (ms: number) => void;
}

/** A player that stands at a moment, with everything there that it asked for. */
async function playerAt(source: MadeUpRecording, atMs = 0): Promise<Playing> {
  const screen = new PaperScreen();
  const states: PlayerState[] = [];
  const player = new Player({
    source,
    screen,
    durationMs: source.durationMs,
    handleChange: (state) => states.push(state),
  });
  player.seek(atMs);
  await settled(player);
  let now = 1000;
  player.tick(now);
  const pass = (ms: number): void => {
    for (let left = ms; left > 0; left -= 50) player.tick((now += Math.min(left, 50)));
  };
  return { player, screen, source, states, pass };
}

/** Until nothing is asked for any more. */
async function settled(player: Player): Promise<void> {
  await expect.poll(() => player.state.isWaiting).toBe(false);
  for (let turn = 0; turn < 5; turn++) await Promise.resolve();
}

test("what is due by the clock is shown, and time stands while it is paused", async () => {
  const { player, screen, pass } = await playerAt(new MadeUpRecording(letters(100, 200, 900)));
  expect(screen.text).toBe("<header>");
  pass(500);
  expect(screen.text).toBe("<header>");
  player.play();
  pass(250);
  expect(screen.text).toBe("<header>ab");
  expect(player.state.positionMs).toBe(250);
  player.toggle();
  pass(2000);
  expect(player.state).toMatchObject({ positionMs: 250, isPlaying: false });
});

test("a speed counts for the clock, and each step of it is one of the list", async () => {
  const { player, pass } = await playerAt(new MadeUpRecording(letters(100, 9000)));
  player.setIdleLimit(Infinity);
  player.setSpeed(4);
  player.play();
  pass(1000);
  expect(player.state.positionMs).toBe(4000);
  player.changeSpeed(1);
  expect(player.state.speed).toBe(8);
  for (let count = 0; count < 9; count++) player.changeSpeed(1);
  expect(player.state.speed).toBe(32);
  for (let count = 0; count < 9; count++) player.changeSpeed(-1);
  expect(player.state.speed).toBe(0.25);
  // A speed that somebody gave need not be in the list.
  player.setSpeed(7);
  player.changeSpeed(1);
  expect(player.state.speed).toBe(8);
});

test("a pause is cut to a second while idle time is skipped, and is played in full otherwise", async () => {
  const { player, screen, pass } = await playerAt(
    new MadeUpRecording(letters(100, 60_000, 61_000)),
  );
  player.play();
  pass(1000);
  expect(screen.text).toBe("<header>a");
  pass(200);
  expect(screen.text).toBe("<header>ab");
  expect(player.state.positionMs).toBeGreaterThanOrEqual(60_000);
  player.setIdleLimit(Infinity);
  player.seek(1000);
  await settled(player);
  pass(30_000);
  expect(screen.text).toBe("<header>a");
});

test("it ends at the end, and plays again from the beginning", async () => {
  const { player, screen, pass } = await playerAt(
    new MadeUpRecording(letters(10, 20, 30, 40, 50, 60)),
  );
  player.play();
  pass(50);
  await settled(player);
  pass(2000);
  expect(screen.text).toBe("<header>abcdef");
  expect(player.state).toMatchObject({ isPlaying: false, positionMs: 60 });
  player.play();
  await settled(player);
  expect(player.state).toMatchObject({ isPlaying: true, positionMs: 0 });
  expect(screen.text).toBe("<header>");
});

test("a moment is the screen as it was then, and what follows is shown once", async () => {
  const { player, screen, pass } = await playerAt(new MadeUpRecording(letters(100, 200, 300)), 200);
  expect(screen.text).toBe("<header>ab");
  player.play();
  pass(500);
  expect(screen.text).toBe("<header>abc");
  player.seek(-5);
  await settled(player);
  expect(player.state.positionMs).toBe(0);
  player.seek(1e9);
  await settled(player);
  expect(player.state.positionMs).toBe(300);
});

test("of entries of the same moment, exactly those up to the one that is asked for are shown", async () => {
  const { player, screen, pass } = await playerAt(new MadeUpRecording(letters(100, 100, 100, 200)));
  player.seekTo({ atMs: 100, sequence: 3 });
  await settled(player);
  expect(screen.text).toBe("<header>ab");
  player.play();
  pass(50);
  expect(screen.text).toBe("<header>abc");
});

test("of many moments in a row only the first and the newest are asked for", async () => {
  const { player, source, screen } = await playerAt(new MadeUpRecording(letters(100, 200, 300)));
  for (const ms of [10, 20, 30, 40, 300]) player.seek(ms);
  expect(player.state.positionMs).toBe(300);
  await settled(player);
  expect(source.screensRead).toEqual([0, 10, 300]);
  expect(screen.text).toBe("<header>abc");
});

test("a recording that grows is played on", async () => {
  const source = new MadeUpRecording(letters(100, 200, 300));
  const { player, screen, pass } = await playerAt(source);
  player.play();
  pass(2000);
  expect(player.state).toMatchObject({ isPlaying: false, positionMs: 300 });
  source.replace(letters(100, 200, 300, 400));
  player.setDuration(source.durationMs);
  await settled(player);
  player.play();
  pass(300);
  expect(screen.text).toBe("<header>abcd");
});

test("a step shows the next change and stops", async () => {
  const { player, screen } = await playerAt(new MadeUpRecording(letters(100, 5000)));
  player.play();
  player.step();
  expect(screen.text).toBe("<header>a");
  player.step();
  expect(player.state).toMatchObject({ positionMs: 5000, isPlaying: false });
  player.step();
  expect(screen.text).toBe("<header>ab");
});

test("a step that is asked for too early is taken once it is known, and sees more than markers", async () => {
  const [header, first, second, third] = letters(100, 200, 300);
  const invisible = { ...OUTPUT, ...second, data: "" };
  const all = [header, first, invisible, third].filter((one) => one !== undefined);
  const { player, screen } = await playerAt(new MadeUpRecording(all));
  player.seek(100);
  player.step();
  expect(screen.text).toBe("<header>");
  await expect.poll(() => screen.text).toBe("<header>ac");
  expect(player.state).toMatchObject({ positionMs: 300, isPlaying: false });
});

test("time stands while the host has not answered, and while the screen has not caught up", async () => {
  const source = new MadeUpRecording(letters(10, 20, 30, 40, 50, 9000), 3);
  const { player, screen, pass } = await playerAt(source);
  player.play();
  // The second page is asked for, but its answer cannot come within one turn.
  pass(200);
  expect(player.state.positionMs).toBeLessThan(200);
  await settled(player);
  screen.waitingBytes = 2 * 1024 * 1024;
  const { positionMs } = player.state;
  pass(200);
  expect(player.state).toMatchObject({ positionMs, isWaiting: true });
  screen.waitingBytes = 0;
  pass(200);
  expect(player.state.positionMs).toBeGreaterThan(positionMs);
});

test("a failure stops it, is told, and can be tried again", async () => {
  const source = new MadeUpRecording(letters(10, 20, 30, 40, 50, 60, 70), 2);
  const { player, screen, pass } = await playerAt(source);
  source.failure = new Error("the host is away");
  player.play();
  pass(100);
  await vi.waitFor(() => {
    pass(50);
    expect(player.state.problem).toBe(source.failure);
  });
  expect(player.state.isPlaying).toBe(false);
  source.failure = undefined;
  player.play();
  await vi.waitFor(() => {
    pass(50);
    expect(screen.text).toBe("<header>abcdefg");
  });
  expect(player.state.problem).toBe(undefined);
});

test("a recording of a gigabyte is played with a few pages at hand, and never in one frame", async () => {
  const count = 16_384;
  const kilobytes = "x".repeat(64);
  const flood = letters(0)
    .slice(0, 1)
    .concat(
      Array.from({ length: count }, (_, at) => ({
        ...OUTPUT,
        sequence: at + 2,
        data: kilobytes,
        elapsedMs: Math.floor(at / 100),
      })),
    );
  const pageEntries = 64;
  const { player, screen, source, pass } = await playerAt(new MadeUpRecording(flood, pageEntries));
  // Each of these characters stands for a kilobyte.
  screen.bytesPerCharacter = 1024;
  player.play();
  let mostBytes = 0;
  let mostEntries = 0;
  while (player.state.isPlaying) {
    pass(50);
    mostBytes = Math.max(mostBytes, screen.waitingBytes);
    mostEntries = Math.max(mostEntries, source.pagesRead * pageEntries - screen.text.length / 64);
    screen.waitingBytes = 0;
    await Promise.resolve();
  }
  expect(screen.text.length).toBe("<header>".length + count * 64);
  expect(mostBytes).toBeLessThan(512 * 1024);
  expect(mostEntries).toBeLessThan(400);
});

test("nothing is shown or told once it is gone", async () => {
  const { player, screen, states, pass } = await playerAt(new MadeUpRecording(letters(100, 200)));
  player.play();
  player.seek(200);
  const told = states.length;
  player[Symbol.dispose]();
  for (let turn = 0; turn < 5; turn++) await Promise.resolve();
  pass(500);
  expect(screen.text).toBe("<header>");
  expect(states.length).toBe(told);
});
