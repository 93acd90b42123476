import type { IFunctionIdentifier, IParser } from "@xterm/xterm";

/** Queries; the host has answered them, and a second reply would be typed. */
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

/** OSCs that set a colour, or query it with `?`. */
const COLOUR_COMMANDS = [4, 5, 10, 11, 12, 52];

/** A display-only emulator must not reply. */
export function neverAnswer(parser: IParser): void {
  for (const question of CSI_QUESTIONS) parser.registerCsiHandler(question, () => true);
  for (const question of DCS_QUESTIONS) parser.registerDcsHandler(question, () => true);
  for (const command of COLOUR_COMMANDS) {
    parser.registerOscHandler(command, (data) => data.includes("?") || command === 52);
  }
}

/** More than any screen has rows or columns. */
const MAX_COUNT = 9_999;

/** xterm.js repeats these as often as the first parameter says, up to 2^31 times without a pause. */
const COUNTED: readonly IFunctionIdentifier[] = [
  ...Array.from("@LMPSTXIZb", (final) => ({ final })),
  { intermediates: " ", final: "@" },
  { intermediates: " ", final: "A" },
  { intermediates: "'", final: "}" },
  { intermediates: "'", final: "~" },
];

/** Skips counts that would freeze the page; programs do not use them. */
export function boundCounts(parser: IParser): void {
  for (const id of COUNTED) {
    parser.registerCsiHandler(id, ([count = 0]) => Number(count) > MAX_COUNT);
  }
}
