import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { classifyReply, CursorQueries } from "./emulator-replies.ts";

const ESC = "\u001b";
const ST = `${ESC}\\`;

const kindOf = (text: string) => classifyReply(Buffer.from(text));

const REPLIES = [
  `${ESC}[?1;2c`,
  `${ESC}[?62;22c`,
  `${ESC}[>0;276;0c`,
  `${ESC}P!|00000000${ST}`,
  `${ESC}[0n`,
  `${ESC}[?13n`,
  `${ESC}[?997;1n`,
  `${ESC}[24;80R`,
  `${ESC}[1;1R`,
  `${ESC}[1;300R`,
  `${ESC}[?1;5R`,
  `${ESC}[?3;4;1R`,
  `${ESC}[?2004;2$y`,
  `${ESC}[4;1$y`,
  `${ESC}[8;24;80t`,
  `${ESC}[4;384;640t`,
  `${ESC}[?0u`,
  `${ESC}[>4;2m`,
  `${ESC}[2;1;1;128;128;1;0x`,
  `${ESC}P1$r0m${ST}`,
  `${ESC}P0$r${ST}`,
  `${ESC}P>|xterm(380)${ST}`,
  `${ESC}P1+r544e=787465726d${ST}`,
  `${ESC}P1!~ABCD${ST}`,
  `${ESC}]4;1;rgb:d9d9/5252/5b5b${ST}`,
  `${ESC}]11;rgb:1111/1414/1a1a\u0007`,
  `${ESC}]52;c;aGVsbG8=${ST}`,
  `${ESC}]ltitle${ST}`,
  `${ESC}_Gi=31;OK${ST}`,
];

const TYPED = [
  "",
  "ls\r",
  "c",
  ESC,
  `${ESC}[`,
  `${ESC}]`,
  `${ESC}P`,
  `${ESC}OP`,
  `${ESC}[A`,
  `${ESC}[15~`,
  `${ESC}[1;5C`,
  `${ESC}[13;2u`,
  `${ESC}[I`,
  `${ESC}[O`,
  `${ESC}[Z`,
  `${ESC}[M !!`,
  `${ESC}[<0;10;10M`,
  `${ESC}[<0;10;10m`,
  `${ESC}[200~${ESC}[0n${ESC}[201~`,
  `${ESC}]0;a title${ST}`,
  `${ESC}]11;rgb:1111/1414/1a1a`,
  `\u0003${ESC}[0n`,
];

describe("input", () => {
  test.each(REPLIES)("%j is an answer of an emulator", (reply) => {
    expect(kindOf(reply)).toBe("reply");
  });

  test.each(TYPED)("%j was typed", (typed) => {
    expect(kindOf(typed)).toBe("none");
  });

  test("of several answers is an answer, and with anything typed it is not", () => {
    const answers = fc.array(fc.constantFrom(...REPLIES), { minLength: 1, maxLength: 5 });
    const typed = fc.constantFrom("x", "\r", `${ESC}[A`, "\u0003");
    fc.assert(
      fc.property(answers, typed, (replies, key) => {
        expect(kindOf(replies.join(""))).toBe("reply");
        expect(kindOf(replies.join("") + key)).toBe("none");
        expect(kindOf(key + replies.join(""))).toBe("none");
      }),
    );
  });

  test("of any bytes is looked at without failing, also in the middle of other bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
        const inside = Buffer.concat([Buffer.from("ab"), bytes]).subarray(2);
        expect(classifyReply(inside)).toBe(classifyReply(bytes));
      }),
    );
  });

  test.each(["1;2", "1;5", "1;16", "1;256"])("%s may be F3 with modifiers or a place", (place) => {
    expect(kindOf(`${ESC}[${place}R`)).toBe("maybeReply");
  });
});

describe("a place in the first row", () => {
  const place = Buffer.from(`${ESC}[1;5R`);
  const question = Buffer.from(`text ${ESC}[6n text`);

  test("is a key where nobody asked", () => {
    expect(new CursorQueries().isReply(place)).toBe(false);
  });

  test("answers each question once, and is a key again afterwards", () => {
    const queries = new CursorQueries();
    queries.note(Buffer.concat([question, question]));
    expect([1, 2, 3].map(() => queries.isReply(place))).toEqual([true, true, false]);
  });

  test("is a key when the question was long ago", () => {
    let nowMs = 10_000;
    const queries = new CursorQueries(() => nowMs);
    queries.note(question);
    nowMs += 3000;
    expect(queries.isReply(place)).toBe(false);
    queries.note(question);
    expect([1, 2].map(() => queries.isReply(place))).toEqual([true, false]);
  });
});
