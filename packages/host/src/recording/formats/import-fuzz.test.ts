import { expect, test } from "vitest";
import { exportAsciicast } from "./export-asciicast.ts";
import { mutateCast, repeatableRandom } from "./testing/mutate-cast.ts";
import { placed, type TimedFact } from "./testing/random-recording.ts";
import { problemsWith, readCast, recordingOf, refusalOf } from "./testing/read-cast.ts";

const utf8 = new TextEncoder();
const terminal = { createdAt: "2026-01-31T09:30:00.000Z", title: "Demo", command: "/bin/sh" };

const output = (elapsedMs: number, text: string): TimedFact => ({
  elapsedMs,
  fact: { type: "output", offset: 0, data: utf8.encode(text) },
});

const recording = placed([
  { elapsedMs: 0, fact: { type: "header", cols: 80, rows: 24 } },
  output(248, "\u001b[1;31mHello \u001b[32mWörld!\u001b[0m\r\n"),
  { elapsedMs: 300, fact: { type: "input", data: utf8.encode("ls\r") } },
  { elapsedMs: 1500, fact: { type: "marker", label: "half" } },
  output(2143, '€ 😀 \\ "quoted"'),
  { elapsedMs: 4050, fact: { type: "resize", cols: 90, rows: 30 } },
  output(6541, "Bye!"),
  { elapsedMs: 7000, fact: { type: "exit", exitCode: 0 } },
]);

const written = (version: 2 | 3): Uint8Array =>
  Buffer.concat([...exportAsciicast(recording, { terminal, version, input: true })]);

const document = {
  version: 1,
  width: 80,
  height: 24,
  duration: 1.5,
  command: null,
  title: "Old",
  env: { TERM: "xterm-256color" },
  stdout: [
    [0.248848, "\u001b[1;31mHello\u001b[0m\n"],
    [1.001376, "I am \rThis is on the next line."],
    [0.5, "€ 😀"],
  ],
};

const FILES: readonly (readonly [name: string, file: Uint8Array])[] = [
  ["version 1", utf8.encode(JSON.stringify(document))],
  ["version 1 in many lines", utf8.encode(JSON.stringify(document, undefined, 2))],
  ["version 2", written(2)],
  ["version 3", written(3)],
];

const MUTATIONS_PER_FILE = 1250;

test.each(FILES)("%s, damaged in any way, is refused or read up to the damage", (_name, file) => {
  const random = repeatableRandom(file.length);
  for (let count = 0; count < MUTATIONS_PER_FILE; count += 1) {
    const damaged = mutateCast(file, random);
    if (refusalOf(damaged) !== undefined) continue;
    const cast = readCast(damaged, 1 + Math.floor(random() * 64));
    expect(problemsWith(recordingOf(cast))).toEqual([]);
    const times = cast.facts.map(({ elapsedMs }) => elapsedMs);
    expect(times).toEqual(times.toSorted((one, other) => one - other));
  }
});

test.each(FILES)("%s, cut anywhere, gives the beginning of what the whole gives", (_name, file) => {
  const whole = readCast(file);
  for (let length = 0; length < file.length; length += 1) {
    const cut = file.subarray(0, length);
    if (refusalOf(cut) !== undefined) continue;
    const { header, facts } = readCast(cut);
    expect(header.size).toEqual(whole.header.size);
    expect(facts).toEqual(whole.facts.slice(0, facts.length));
  }
});

test("the same numbers give the same damage", () => {
  const file = written(3);
  expect(mutateCast(file, repeatableRandom(7))).toEqual(mutateCast(file, repeatableRandom(7)));
  expect(mutateCast(file, repeatableRandom(7))).not.toEqual(mutateCast(file, repeatableRandom(8)));
});
