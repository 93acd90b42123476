/** The value that this share of all values does not exceed. */
export function shareOf(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** How long something took, in words: usually, nearly always and at worst. */
export function spreadOf(tookMs: readonly number[]): string {
  const [p50, p99, worst] = [0.5, 0.99, 1].map((share) => shareOf(tookMs, share).toFixed(1));
  return `p50 ${p50}, p99 ${p99}, worst ${worst} ms`;
}

/** Does something for each, several at once. */
export async function eachOf<Item>(
  items: readonly Item[],
  atOnce: number,
  act: (item: Item, index: number) => Promise<void>,
): Promise<void> {
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < items.length) {
      const index = next++;
      await act(items[index] as Item, index);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
}
