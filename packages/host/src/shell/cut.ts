/** A range of bytes that no view shows; an empty one only ends what is open before it. */
export interface OmittedRange {
  readonly from: number;
  readonly to: number;
}

/** Adds a range behind all others; one that follows another at once makes it longer. */
export function addOmittedRange(cuts: OmittedRange[], from: number, to: number): void {
  const last = cuts.at(-1);
  if (last?.to === from) cuts[cuts.length - 1] = { from: last.from, to };
  else cuts.push({ from, to });
}
