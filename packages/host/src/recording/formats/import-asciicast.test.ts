import { expect, test } from "vitest";
import { importAsciicast } from "./import-asciicast.ts";
import { piecesOf, readCast, type ReadCast } from "./testing/read-cast.ts";

const utf8 = new TextEncoder();
const GREETING = "\u001b[1;31mHello \u001b[32mWorld!\u001b[0m\n";

const VERSION_1 = `{
  "version": 1,
  "width": 80,
  "height": 24,
  "duration": 1.515658,
  "command": "/bin/zsh",
  "title": "",
  "env": {
    "TERM": "xterm-256color",
    "SHELL": "/bin/zsh"
  },
  "stdout": [
    [
      0.248848,
      "\\u001b[1;31mHello \\u001b[32mWorld!\\u001b[0m\\n"
    ],
    [
      1.001376,
      "I am \\rThis is on the next line."
    ]
  ]
}
`;

const VERSION_2 = `{"version": 2, "width": 80, "height": 24, "timestamp": 1504467315, "title": "Demo", "env": {"TERM": "xterm-256color", "SHELL": "/bin/zsh"}}
[0.248848, "o", "\\u001b[1;31mHello \\u001b[32mWorld!\\u001b[0m\\n"]
[1.001376, "o", "That was ok\\rThis is better."]
[1.500000, "m", ""]
[2.143733, "o", "Now... "]
[4.050000, "r", "80x24"]
[6.541828, "o", "Bye!"]
`;

const VERSION_3 = `{"version": 3, "term": {"cols": 80, "rows": 24, "type": "xterm-256color"}, "timestamp": 1504467315, "title": "Demo", "env": {"SHELL": "/bin/zsh"}}
# event stream follows the header
[0.248, "o", "\\u001b[1;31mHello \\u001b[32mWorld!\\u001b[0m\\n"]
[1.001, "o", "That was ok\\rThis is better."]
[3.500, "m", ""]
[0.143, "o", "Now... "]
# terminal window resized to 90 cols and 30 rows
[2.050, "r", "90x30"]
[1.541, "o", "Bye!"]
[0.887, "x", "0"]
`;

const output = (offset: number, text: string) => ({
  type: "output",
  offset,
  data: utf8.encode(text),
});

const factsIn = ({ facts }: ReadCast) => facts.map(({ elapsedMs, fact }) => [elapsedMs, fact]);

test("version 1 as its documentation shows it", () => {
  const cast = readCast(VERSION_1);
  expect(cast.header).toEqual({ version: 1, size: { cols: 80, rows: 24 }, command: "/bin/zsh" });
  expect(factsIn(cast)).toEqual([
    [249, output(0, GREETING)],
    [1250, output(GREETING.length, "I am \rThis is on the next line.")],
  ]);
  expect(cast.outcome).toEqual({ complete: true });
});

test("version 2 as its documentation shows it", () => {
  const cast = readCast(VERSION_2);
  expect(cast.header).toEqual({
    version: 2,
    size: { cols: 80, rows: 24 },
    occurredAtMs: 1_504_467_315_000,
    title: "Demo",
  });
  expect(factsIn(cast)).toEqual([
    [249, output(0, GREETING)],
    [1001, output(29, "That was ok\rThis is better.")],
    [1500, { type: "marker", label: "" }],
    [2144, output(56, "Now... ")],
    [4050, { type: "resize", cols: 80, rows: 24 }],
    [6542, output(63, "Bye!")],
  ]);
  expect(cast.outcome).toEqual({ complete: true });
});

test("version 3 as its documentation shows it", () => {
  const cast = readCast(VERSION_3);
  expect(cast.header).toMatchObject({ version: 3, size: { cols: 80, rows: 24 }, title: "Demo" });
  expect(factsIn(cast).map(([elapsedMs]) => elapsedMs)).toEqual([
    248, 1249, 4749, 4892, 6942, 8483, 9370,
  ]);
  expect(cast.facts.at(-1)?.fact).toEqual({ type: "exit", exitCode: 0, outputBytes: 67 });
  expect(cast.outcome).toEqual({ complete: true });
});

test.each([VERSION_1, VERSION_2, VERSION_3])(
  "how the file is cut into pieces changes nothing",
  (file) => {
    const whole = readCast(file);
    for (const pieceBytes of [1, 2, 3, 7, 64, 1000]) {
      expect(readCast(file, pieceBytes)).toEqual(whole);
    }
  },
);

test.each([VERSION_1, VERSION_2, VERSION_3])(
  "Windows line ends and a byte order mark change nothing",
  (file) => {
    expect(readCast(`\ufeff${file.replaceAll("\n", "\r\n")}`)).toEqual(readCast(file));
  },
);

test("attributes of version 1 may come in any order, as old recorders wrote them", () => {
  const file = '{"stdout":[[1,"a"]],"title":"Old","height":20,"width":70,"version":1}';
  const { header, facts, outcome } = readCast(file);
  expect(header).toEqual({ version: 1, size: { cols: 70, rows: 20 }, title: "Old" });
  expect(facts).toEqual([{ elapsedMs: 1000, fact: output(0, "a") }]);
  expect(outcome).toEqual({ complete: true });
});

test("version 1 of many lines is read to its end, and attributes may follow its frames", () => {
  const frame = JSON.stringify([0.5, "x".repeat(30_000)]);
  const frames = Array.from({ length: 300 }, () => frame).join(",\n");
  const file = `{"version":1,"width":80,"height":24,"stdout":[${frames}],\n"title":"late"}`;
  const { header, facts, outcome } = readCast(file);
  expect(header.title).toBe("late");
  expect(facts).toHaveLength(300);
  expect(facts.at(-1)).toMatchObject({ elapsedMs: 150_000, fact: { offset: 299 * 30_000 } });
  expect(outcome).toEqual({ complete: true });
});

const HEADER_2 = '{"version":2,"width":80,"height":24}\n';
const HEADER_3 = '{"version":3,"term":{"cols":80,"rows":24}}\n';

test("unknown events are skipped, but their time counts", () => {
  const { facts, outcome } = readCast(
    `${HEADER_3}[1,"z",{"any":["thing"]}]\n\n[0.5,"o",""]\n[1,"o","a"]`,
  );
  expect(facts).toEqual([{ elapsedMs: 2500, fact: output(0, "a") }]);
  expect(outcome).toEqual({ complete: true });
});

test("intervals are added up before they are rounded", () => {
  const { facts } = readCast(HEADER_3 + '[0.0004,"o","a"]\n'.repeat(10));
  expect(facts.at(-1)?.elapsedMs).toBe(4);
});

test("times of version 2 that go back happen at the time before", () => {
  const { facts } = readCast(`${HEADER_2}[2,"o","a"]\n[1,"o","b"]\n[3,"o","c"]\n`);
  expect(facts.map(({ elapsedMs }) => elapsedMs)).toEqual([2000, 2000, 3000]);
});

test("what follows an exit came from a program that kept the terminal open", () => {
  const { facts } = readCast(`${HEADER_3}[1,"x","1"]\n[1,"o","a"]\n[1,"x","2"]\n[1,"m","b"]\n`);
  expect(facts.map(({ fact }) => fact)).toEqual([
    { type: "exit", exitCode: 1, outputBytes: 0, drained: false },
    output(0, "a"),
    { type: "marker", label: "b" },
  ]);
});

test("large events are split between characters, small ones stay whole", () => {
  const text = "€".repeat(400_000);
  const { facts } = readCast(`${HEADER_2}[1,"o","${text}"]\n[1,"i","${text}"]\n`);
  const outputs = facts.filter(({ fact }) => fact.type === "output");
  expect(outputs).toHaveLength(19);
  expect(facts).toHaveLength(38);
  const bytes = outputs.map(({ fact }) => (fact.type === "output" && fact.data) || utf8.encode(""));
  expect(bytes.map((part) => new TextDecoder("utf-8", { fatal: true }).decode(part)).join("")).toBe(
    text,
  );
  expect(Math.max(...bytes.map((part) => part.length))).toBeLessThanOrEqual(64 * 1024);
});

test.each<[string, object]>([
  ['"0x0"', []],
  ['"2000x5"', [{ type: "resize", cols: 1000, rows: 5 }]],
])("a resize to %s is left out or kept within what a terminal may have", (data, expected) => {
  const { facts, outcome } = readCast(`${HEADER_2}[1,"r",${data}]\n`);
  expect(facts.map(({ fact }) => fact)).toEqual(expected);
  expect(outcome).toEqual({ complete: true });
});

test("a size that the recorder did not know is the usual one", () => {
  const { header } = readCast('{"version":2,"width":0,"height":4000}');
  expect(header.size).toEqual({ cols: 80, rows: 500 });
});

test("texts for people lose what could drive their terminal", () => {
  const title = `\\u001b]0;x\\u0007\\ud800${"t".repeat(2000)}`;
  const { header, facts } = readCast(
    `{"version":2,"width":80,"height":24,"title":"${title}","command":"a\\nb"}\n[1,"m","${title}"]\n`,
  );
  expect(header.title).toBe(`␛]0;x␇\ufffd${"t".repeat(1023 - 7)}…`);
  expect(header.command).toBe("a␊b");
  expect(facts[0]?.fact).toMatchObject({ label: `␛]0;x␇\ufffd${"t".repeat(255 - 7)}…` });
});

test("the file is let go of when its reader stops", () => {
  let isOpen = true;
  function* pieces() {
    try {
      yield* piecesOf(utf8.encode(VERSION_2), 64);
    } finally {
      isOpen = false;
    }
  }
  const cast = importAsciicast(pieces());
  for (const { elapsedMs } of cast.facts) if (elapsedMs > 1000) break;
  expect(isOpen).toBe(false);
  expect(cast.outcome()).toMatchObject({ complete: false, line: 3 });
});

test("the file is let go of when nobody reads its facts", () => {
  let isOpen = true;
  function* pieces() {
    try {
      yield utf8.encode(HEADER_2);
      yield utf8.encode(VERSION_2);
    } finally {
      isOpen = false;
    }
  }
  {
    using cast = importAsciicast(pieces());
    expect(cast.header.version).toBe(2);
  }
  expect(isOpen).toBe(false);
});
