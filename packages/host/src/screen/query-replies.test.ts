import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Emulator } from "./emulator.ts";
import { randomOutput } from "./testing/random-output.ts";

const ESC = "\u001b";
const ST = `${ESC}\\`;

function repliesTo(output: string | Uint8Array<ArrayBuffer>): readonly string[] {
  const replies: string[] = [];
  using emulator = new Emulator({
    size: { cols: 80, rows: 24 },
    scrollback: 0,
    reply: (text) => replies.push(text),
  });
  emulator.writeAll(typeof output === "string" ? new TextEncoder().encode(output) : output);
  return replies;
}

describe("a query is answered", () => {
  test.each([
    ["primary attributes", `${ESC}[c`, `${ESC}[?1;2c`],
    ["primary attributes, spelled out", `${ESC}[0c`, `${ESC}[?1;2c`],
    ["secondary attributes", `${ESC}[>c`, `${ESC}[>0;276;0c`],
    ["the version", `${ESC}[>q`, `${ESC}P>|nacre${ST}`],
    ["status", `${ESC}[5n`, `${ESC}[0n`],
    ["the cursor", `${ESC}[3;4H${ESC}[6n`, `${ESC}[3;4R`],
    ["the cursor, as DEC asks", `${ESC}[3;4H${ESC}[?6n`, `${ESC}[?3;4R`],
    ["the cursor that waits to wrap", `${"x".repeat(80)}${ESC}[6n`, `${ESC}[1;80R`],
    ["the cursor inside margins", `${ESC}[5;9r${ESC}[?6h${ESC}[2;1H${ESC}[6n`, `${ESC}[2;1R`],
    ["a mode that is set", `${ESC}[?2004h${ESC}[?2004$p`, `${ESC}[?2004;1$y`],
    ["a mode that is not set", `${ESC}[?2004$p`, `${ESC}[?2004;2$y`],
    ["a mode that is known and not there", `${ESC}[?2048$p`, `${ESC}[?2048;0$y`],
    ["a mode of the standard", `${ESC}[4h${ESC}[4$p`, `${ESC}[4;1$y`],
    ["the margins", `${ESC}[3;7r${ESC}P$qr${ST}`, `${ESC}P1$r3;7r${ST}`],
    ["the style", `${ESC}[1m${ESC}P$qm${ST}`, `${ESC}P1$r0m${ST}`],
    ["the cursor's style", `${ESC}[5 q${ESC}P$q q${ST}`, `${ESC}P1$r5 q${ST}`],
    ["a setting that nobody knows", `${ESC}P$qxyz${ST}`, `${ESC}P0$r${ST}`],
    ["a colour", `${ESC}]4;1;?\u0007`, `${ESC}]4;1;rgb:d9d9/5252/5b5b${ST}`],
    ["the text's colour", `${ESC}]10;?${ST}`, `${ESC}]10;rgb:d9d9/dede/e6e6${ST}`],
    ["the ground's colour", `${ESC}]11;?\u0007`, `${ESC}]11;rgb:1111/1414/1a1a${ST}`],
    ["the cursor's colour", `${ESC}]12;?\u0007`, `${ESC}]12;rgb:d9d9/dede/e6e6${ST}`],
    ["the extent in pixels", `${ESC}[14t`, `${ESC}[4;384;640t`],
    ["the extent in cells", `${ESC}[18t`, `${ESC}[8;24;80t`],
    ["the extent of the display", `${ESC}[19t`, `${ESC}[9;24;80t`],
  ])("about %s", (_what, query, reply) => {
    expect(repliesTo(query)).toEqual([reply]);
  });

  test("about several colours at once", () => {
    expect(repliesTo(`${ESC}]10;?;?;?;?\u0007`)).toHaveLength(3);
    expect(repliesTo(`${ESC}]4;1;?;2;?\u0007`)).toHaveLength(2);
  });
});

describe("a query is not answered", () => {
  test.each([
    ["about the title", `${ESC}]2;$(reboot)\u0007${ESC}[21t`],
    ["about the icon's title", `${ESC}]1;$(reboot)\u0007${ESC}[20t`],
    ["about the clipboard", `${ESC}]52;c;?\u0007`],
    ["about the font", `${ESC}]50;?\u0007`],
    ["about keyboard protocols that are not there", `${ESC}[?u`],
    ["about modes that nobody has heard of", `${ESC}[?31337$p${ESC}[31337$p`],
    ["about colours that are none", `${ESC}]4;256;?;-1;?;x;?\u0007`],
    ["with ENQ", "\u0005"],
    ["about capabilities", `${ESC}P+q544e${ST}`],
    ["when it is none", `${ESC}[1c${ESC}[>1c${ESC}[>7q${ESC}[7n`],
  ])("%s", (_what, query) => {
    expect(repliesTo(query)).toEqual([]);
  });

  test("where nobody wants answers", () => {
    using emulator = new Emulator({ size: { cols: 80, rows: 24 }, scrollback: 0 });
    expect(emulator.write(new TextEncoder().encode(`${ESC}[c${ESC}[6n`))).toBe(true);
  });
});

/** Everything that an answer can look like, without what begins and ends it. */
const FORMS = [
  /^\[\?1;2c$/,
  /^\[>0;276;0c$/,
  /^\[0n$/,
  /^\[\??\d{1,4};\d{1,4}R$/,
  /^\[\??\d{1,4};[0-4]\$y$/,
  /^\[[4689];\d{1,5};\d{1,5}t$/,
  /^P(0\$r|1\$r(0m|\d+;\d+r|[1-6] q|0"q|61;1"p)|>\|nacre)$/,
  /^\](4;\d{1,3}|1[012]);rgb:[0-9a-f]{4}\/[0-9a-f]{4}\/[0-9a-f]{4}$/,
];

test("every answer has one of the fixed forms, whatever is asked", () => {
  const asking = fc
    .array(
      fc.oneof(
        randomOutput({ maxLength: 5 }),
        fc
          .tuple(
            fc.constantFrom("", "?", ">", "=", "$"),
            fc.stringMatching(/^[0-9;:]{0,12}$/),
            fc.constantFrom("c", "n", "q", "$p", "t", "u", "x", " q", "y"),
          )
          .map((parts) => new TextEncoder().encode(`${ESC}[${parts.join("")}`)),
        fc
          .tuple(fc.constantFrom("]4;", "]10;", "]11;", "]52;", "]2;", "P$q", "P+q"), fc.string())
          .map((parts) => new TextEncoder().encode(`${ESC}${parts.join("")};?\u0007${ST}`)),
      ),
      { maxLength: 10 },
    )
    .map((all) => new Uint8Array(Buffer.concat(all)));
  fc.assert(
    fc.property(asking, (output) => {
      for (const reply of repliesTo(output)) {
        const form = reply.endsWith(ST) ? reply.slice(0, -ST.length) : reply;
        expect(reply.startsWith(ESC)).toBe(true);
        expect(FORMS.some((known) => known.test(form.slice(ESC.length)))).toBe(true);
      }
    }),
    { numRuns: 500 },
  );
});
