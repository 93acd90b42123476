import fc from "fast-check";
import { expect, test } from "vitest";
import { MAX_EVENT_LENGTH, type SseEvent, SseParser } from "./sse.ts";

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

const parsed = (...pieces: readonly Uint8Array[]): readonly SseEvent[] => {
  const parser = new SseParser();
  return pieces.flatMap((piece) => [...parser.push(piece)]);
};

const STREAM =
  "\uFEFF: a comment\r\n\r\nevent: connected\ndata: {}\n\n" +
  'id: 1\revent: entry\rdata: {"a":"ü€𝄞"}\r\rid: 2\r\ndata: one\r\ndata\r\ndata:  two\r\n\r\n' +
  "event: empty\n\nid: \0\nretry: 250\nretry: soon\nother: x\ndata: last\n\ndata: unfinished\n";

const EVENTS: readonly SseEvent[] = [
  { name: "connected", data: "{}", lastEventId: "" },
  { name: "entry", data: '{"a":"ü€𝄞"}', lastEventId: "1" },
  { name: "message", data: "one\n\n two", lastEventId: "2" },
  { name: "message", data: "last", lastEventId: "2" },
];

test("every kind of line end, comment and field is read as the format says", () => {
  expect(parsed(bytesOf(STREAM))).toEqual(EVENTS);
});

test("a stream cut at any one byte gives the same events", () => {
  const bytes = bytesOf(STREAM);
  for (let cut = 0; cut <= bytes.length; cut++) {
    expect(parsed(bytes.subarray(0, cut), bytes.subarray(cut))).toEqual(EVENTS);
  }
});

test("a stream that comes byte by byte gives the same events", () => {
  expect(parsed(...Array.from(bytesOf(STREAM), (byte) => Uint8Array.of(byte)))).toEqual(EVENTS);
});

test("any events, with any line ends and cut anywhere, come back as they were", () => {
  const word = fc.stringMatching(/^[a-z]{1,8}$/);
  const text = fc.string({ unit: "binary" }).map((one) => one.replaceAll(/[\r\n\uFEFF]/g, "-"));
  const event = fc.record({ name: word, id: word, lines: fc.array(text, { minLength: 1 }) });
  const lineEnd = fc.constantFrom("\n", "\r\n", "\r");
  const cuts = fc.array(fc.nat({ max: 4096 }));
  fc.assert(
    fc.property(fc.array(event), lineEnd, cuts, (events, end, places) => {
      const lines = events.flatMap(({ name, id, lines: data }) => [
        `event:${name}`,
        `id: ${id}`,
        ...data.map((line) => `data: ${line.toWellFormed()}`),
        "",
      ]);
      const bytes = bytesOf(lines.map((line) => line + end).join(""));
      const at = [0, ...places.map((place) => place % (bytes.length + 1)), bytes.length];
      const sorted = at.toSorted((left, right) => left - right);
      const pieces = sorted.slice(1).map((to, index) => bytes.subarray(sorted[index], to));
      expect(parsed(...pieces)).toEqual(
        events.map(({ name, id, lines: data }) => ({
          name,
          data: data.map((line) => line.toWellFormed()).join("\n"),
          lastEventId: id,
        })),
      );
    }),
  );
});

test("an event without an end is refused before it fills the memory", () => {
  const piece = bytesOf("x".repeat(1024 * 1024));
  const parser = new SseParser();
  parser.push(bytesOf("data: "));
  for (let held = 0; held + piece.length < MAX_EVENT_LENGTH; held += piece.length) {
    expect(parser.push(piece)).toEqual([]);
  }
  parser.push(piece.subarray(0, piece.length - 6));
  expect(() => parser.push(piece)).toThrow(/longer than/);
});

test("comments may come for ever", () => {
  const parser = new SseParser();
  const half = bytesOf(`:${"x".repeat(1024 * 1024)}`);
  for (let told = 0; told < 2 * MAX_EVENT_LENGTH; told += half.length) {
    parser.push(half);
    parser.push(bytesOf("\n"));
  }
  expect(parser.push(bytesOf("data: a\n\n"))).toHaveLength(1);
});
