import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { CommandId } from "@nacre/contracts";
import type { Recording } from "../recording/recording.ts";
import { Recordings } from "../recording/recordings.ts";
import { terminalRow } from "../testing/terminal-row.ts";
import { Commands } from "./commands.ts";

let recordings: Recordings;
let recording: Recording;
let commands: Commands;
let count = 0;
let row = terminalRow("a");

beforeAll(async () => {
  recordings = await Recordings.open();
});
afterAll(() => recordings[Symbol.asyncDispose]());
beforeEach(async () => {
  row = terminalRow(`a${++count}`);
  recording = await recordings.create(row);
  commands = new Commands(recordings.forTerminal(row));
});

const idOf = (number: number): CommandId => CommandId.parse(`c${number}`);

async function begin(number: number): Promise<void> {
  const fact = {
    type: "command",
    commandId: idOf(number),
    commandLine: `echo ${number}`,
    quality: "exact",
  } as const;
  commands.note(await recording.append(fact));
}

async function end(number: number, exitCode = 0): Promise<void> {
  const fact = {
    type: "commandEnd",
    commandId: idOf(number),
    exitCode,
    durationMs: 5,
    endedBy: "marker",
  } as const;
  commands.note(await recording.append(fact));
}

const linesOf = (list: readonly { readonly commandLine: string }[]): string[] =>
  list.map(({ commandLine }) => commandLine);

const LINES = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, index) => `echo ${first + index}`);

test("the command that began and did not end is running", async () => {
  await begin(1);
  expect(commands.running).toMatchObject({ commandLine: "echo 1", firstSequence: 1 });
  expect(commands.running).not.toHaveProperty("lastSequence");
  await end(1, 3);
  expect(commands.running).toBeUndefined();
  expect(await commands.find(idOf(1))).toMatchObject({ exitCode: 3, lastSequence: 2 });
});

test("commands are listed in the order in which they began, with how they ended", async () => {
  for (const number of [1, 2, 3]) {
    await begin(number);
    await end(number, number);
  }
  await begin(4);
  const all = await commands.list();
  expect(linesOf(all)).toEqual(LINES(1, 4));
  expect(all.map(({ exitCode }) => exitCode)).toEqual([1, 2, 3, undefined]);
});

test("a page ends where it is full, and the next begins behind it", async () => {
  for (let number = 1; number <= 25; number++) {
    await begin(number);
    await end(number);
  }
  const first = await commands.list({ limit: 10 });
  expect(linesOf(first)).toEqual(LINES(1, 10));
  const after = first.at(-1)?.firstSequence;
  expect(linesOf(await commands.list({ after, limit: 10 }))).toEqual(LINES(11, 20));
  // A page of one has the end of its command, although that is another entry.
  expect(await commands.list({ limit: 1 })).toMatchObject([{ commandLine: "echo 1", exitCode: 0 }]);
});

test("commands of long ago are found in the recording", async () => {
  for (let number = 1; number <= 250; number++) {
    await begin(number);
    await end(number, number % 7);
  }
  expect(await commands.find(idOf(1))).toMatchObject({ commandLine: "echo 1", exitCode: 1 });
  expect(await commands.find(idOf(150))).toMatchObject({ commandLine: "echo 150" });
  expect(await commands.find(idOf(250))).toMatchObject({ exitCode: 250 % 7 });
  expect(await commands.find(CommandId.parse("unknown"))).toBeUndefined();
});

test("a command that ends after the page was full is listed with its end", async () => {
  await begin(1);
  await begin(2);
  await end(2);
  await begin(3);
  await end(3);
  await end(1, 9);
  expect(await commands.list({ limit: 2 })).toMatchObject([
    { commandLine: "echo 1", exitCode: 9 },
    { commandLine: "echo 2", exitCode: 0 },
  ]);
});

test("the command that ended last stays known while the next one runs", async () => {
  expect(commands.status).toEqual({ runningCommand: undefined, lastCommand: undefined });
  await begin(1);
  await end(1, 2);
  await begin(2);
  expect(commands.status).toMatchObject({
    runningCommand: { commandLine: "echo 2" },
    lastCommand: { commandLine: "echo 1", exitCode: 2 },
  });
});
