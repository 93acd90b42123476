import type { IFunctionIdentifier, IParser } from "@xterm/xterm";

/** Questions that a program asks its terminal; the host has answered, and a second answer would be typed. */
const CSI_QUESTIONS = [
  { final: "c" },
  { prefix: ">", final: "c" },
  { prefix: "=", final: "c" },
  { final: "n" },
  { prefix: "?", final: "n" },
  { intermediates: "$", final: "p" },
  { prefix: "?", intermediates: "$", final: "p" },
  { prefix: ">", final: "q" },
  { prefix: "?", final: "u" },
  { final: "t" },
] as const;

const DCS_QUESTIONS = [
  { intermediates: "$", final: "q" },
  { intermediates: "+", final: "q" },
] as const;

/** Commands that set a colour, or ask for it with a question mark. */
const COLOUR_COMMANDS = [4, 5, 10, 11, 12, 52];

/** Keeps an emulator that only shows from answering what it is shown. */
export function neverAnswer(parser: IParser): void {
  for (const question of CSI_QUESTIONS) parser.registerCsiHandler(question, () => true);
  for (const question of DCS_QUESTIONS) parser.registerDcsHandler(question, () => true);
  for (const command of COLOUR_COMMANDS) {
    parser.registerOscHandler(command, (data) => data.includes("?") || command === 52);
  }
}

/** More than any screen has lines or columns. */
const MAX_COUNT = 9_999;

/** What xterm.js does as often as the first number says, up to 2^31 times without a pause. */
const COUNTED: readonly IFunctionIdentifier[] = [
  ...Array.from("@LMPSTXIZb", (final) => ({ final })),
  { intermediates: " ", final: "@" },
  { intermediates: " ", final: "A" },
  { intermediates: "'", final: "}" },
  { intermediates: "'", final: "~" },
];

/** Leaves out sequences whose count would make the page stand still; programs have no use for them. */
export function boundCounts(parser: IParser): void {
  for (const id of COUNTED) {
    parser.registerCsiHandler(id, ([count = 0]) => Number(count) > MAX_COUNT);
  }
}
