import { expect, test } from "vitest";
import { LOCAL_CALLER, type Terminal } from "@nacre/host";
import { openHost } from "../support/open-host.ts";
import { seededRandom } from "../support/random.ts";
import { recordedOutput } from "../support/recorded-entries.ts";
import { shLine } from "../support/terminal-input.ts";

const LINES = 100_000;

const numbersIn = (text: string): number[] =>
  text.split("\n").flatMap((line) => {
    const digits = /^(\d+)\r?$/.exec(line)?.[1];
    return digits === undefined ? [] : [Number(digits)];
  });

const ALL = Array.from({ length: LINES }, (_, index) => index + 1);

/** Follows from the first byte and misses nothing, however slowly it reads. */
async function followAll(terminal: Terminal, pause: () => Promise<void>): Promise<string> {
  const pieces: Uint8Array[] = [];
  for await (const message of terminal.subscribe({ after: 0, whenBehind: "replay" })) {
    if (message.kind === "entry" && message.view) pieces.push(Uint8Array.from(message.view));
    await pause();
  }
  return Buffer.concat(pieces).toString();
}

interface Stretch {
  readonly snapshotAt: number;
  readonly sequences: number[];
}

/** Follows like a person's window: may be skipped forward, and then begins a new stretch. */
async function followLive(terminal: Terminal, pause: () => Promise<void>): Promise<Stretch[]> {
  const stretches: Stretch[] = [];
  for await (const message of terminal.subscribe()) {
    if (message.kind === "snapshot") {
      stretches.push({ snapshotAt: message.screen.sequence, sequences: [] });
    } else {
      stretches.at(-1)?.sequences.push(message.entry.sequence);
    }
    await pause();
  }
  return stretches;
}

const isContiguous = ({ snapshotAt, sequences }: Stretch): boolean =>
  sequences.every((sequence, index) => sequence === snapshotAt + 1 + index);

test("100,000 numbered lines reach the recording and every viewer exactly once, whatever happens meanwhile", async () => {
  await using host = await openHost();
  const random = seededRandom(7);
  const terminal = await host.createTerminal(shLine(`read go; seq 1 ${LINES}`));
  const turn = () => new Promise<void>((resolve) => setImmediate(resolve));
  const stalled = Promise.withResolvers<void>();
  const everything = followAll(terminal, () => Promise.resolve());
  const slowly = followAll(terminal, turn);
  const live = followLive(terminal, () => Promise.resolve());
  let seen = 0;
  const stalls = followLive(terminal, () => (++seen === 3 ? stalled.promise : Promise.resolve()));
  await terminal.write("\n", { by: LOCAL_CALLER });
  const visitors: Promise<Stretch[]>[] = [];
  while (!terminal.isOver) {
    const roll = random();
    if (roll < 0.3) {
      const size = { cols: 20 + Math.floor(random() * 200), rows: 5 + Math.floor(random() * 60) };
      await terminal.resize(size, LOCAL_CALLER).catch(() => undefined);
    } else if (roll < 0.5) {
      await terminal.clear(LOCAL_CALLER).catch(() => undefined);
    } else if (roll < 0.7 && visitors.length < 20) {
      visitors.push(followLive(terminal, () => Promise.resolve()));
    } else {
      using visitor = terminal.subscribe();
      await visitor.next();
    }
    await turn();
  }
  stalled.resolve();
  const recorded = (await recordedOutput(host, terminal)).toString();
  expect(numbersIn(recorded)).toEqual(ALL);
  expect(numbersIn(await everything)).toEqual(ALL);
  expect(numbersIn(await slowly)).toEqual(ALL);
  const stretches = [...(await live), ...(await stalls), ...(await Promise.all(visitors)).flat()];
  expect(stretches.filter((stretch) => !isContiguous(stretch))).toEqual([]);
  const last = (await live).at(-1);
  expect(last?.sequences.at(-1) ?? last?.snapshotAt).toBe(terminal.lastSequence);
  expect((await stalls).length).toBeGreaterThan(0);
});
