// Output that is known to hang or crash terminals, or made to.
const ESC = "\u001b";

/** A stream and what it is called. */
export interface HostileStream {
  readonly name: string;
  readonly bytes: string;
}

const LARGEST = 2_147_483_647;

/** Everything that repeats as often as a number says. */
const COUNTED = ["L", "M", "S", "T", "b", "I", "Z", "@", "P", "X"];

const counted = COUNTED.map((final) => ({
  name: `a count of ${LARGEST} for ${final}`,
  bytes: `x${ESC}[${LARGEST}${final}`,
}));

const floodsOf = (flood: number): readonly HostileStream[] =>
  COUNTED.map((final) => ({
    name: `${flood} counts of ${LARGEST} for ${final}`,
    bytes: `x${ESC}[${LARGEST}${final}`.repeat(flood),
  }));

const nestedOf = (flood: number): readonly HostileStream[] => [
  {
    name: "counts inside margins, in all of them",
    bytes: Array.from(
      { length: 24 },
      (_, top) =>
        `${ESC}[${top + 1};24r${COUNTED.map((final) => `${ESC}[${LARGEST}${final}`).join("")}`,
    ).join(""),
  },
  {
    name: "counts in origin mode and insert mode on the alternate screen",
    bytes: `${ESC}[?1049h${ESC}[?6h${ESC}[4h${COUNTED.map((final) => `字${ESC}[${LARGEST}${final}`)
      .join("")
      .repeat(100)}`,
  },
  { name: "a sequence that begins again and again", bytes: `${ESC}[${LARGEST}`.repeat(10_000) },
  { name: "strings inside strings", bytes: `${ESC}]0;${ESC}P${ESC}_`.repeat(5000) },
  { name: "numbers without end", bytes: `${ESC}[${"9".repeat(100_000)}S` },
  { name: "numbers by the thousand", bytes: `${ESC}[${"38;5;1;".repeat(20_000)}m` },
  { name: "sub-numbers by the thousand", bytes: `${ESC}[${"4:3:".repeat(20_000)}m` },
  { name: "a string without end", bytes: `${ESC}]52;c;${"A".repeat(1_000_000)}` },
  { name: "a title of a megabyte", bytes: `${ESC}]0;${"T".repeat(1_000_000)}\u0007` },
  { name: "marks by the thousand on one letter", bytes: `e${"\u0301".repeat(100_000)}` },
  { name: "marks by the thousand on nothing", bytes: `${ESC}[H\u0301`.repeat(20_000) },
  { name: "screens that change by the thousand", bytes: `${ESC}[?1049h${ESC}[?1049l`.repeat(2000) },
  { name: "resets by the thousand", bytes: `${ESC}c`.repeat(500) },
  { name: "alignment patterns by the thousand", bytes: `${ESC}#8`.repeat(flood) },
  {
    name: "erased screens by the thousand",
    bytes: `${ESC}[24;80H${ESC}[1J${ESC}[2J${ESC}[3J`.repeat(flood),
  },
  { name: "tab stops by the thousand", bytes: `${ESC}H\t`.repeat(20_000) },
  { name: "questions by the thousand", bytes: `${ESC}[6n${ESC}[c${ESC}]4;1;?\u0007`.repeat(5000) },
  {
    name: "wide letters in a corner",
    bytes: `${ESC}[24;80H字${ESC}[1J${ESC}[P${ESC}[@`.repeat(flood),
  },
  {
    name: "columns inserted by the thousand",
    bytes: `${ESC}[${LARGEST}'}${ESC}[${LARGEST}'~${ESC}[${LARGEST} @`.repeat(300),
  },
];

/** All of them, some repeated so often; the first crashes the emulator as it is published. */
export const hostileStreams = (flood: number): readonly HostileStream[] => [
  { name: "erasing above the last cell", bytes: `${ESC}[24;80H${ESC}[1J` },
  ...counted,
  ...floodsOf(flood),
  ...nestedOf(flood),
];
