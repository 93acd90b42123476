import type { IFunctionIdentifier, IParser } from "@xterm/xterm";

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
