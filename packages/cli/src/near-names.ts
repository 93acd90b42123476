/** More than this many changes make another word. */
const MAX_CHANGES = 2;

/** Those of the names that may have been meant by a mistyped one. */
export function nearNames(typed: string, names: readonly string[]): readonly string[] {
  return names.filter(
    (name) => name.startsWith(typed) || changesBetween(typed, name) <= MAX_CHANGES,
  );
}

/** How many letters have to be added, removed or replaced. */
function changesBetween(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let at = 1; at <= one.length; at++) {
    const next = [at];
    for (let to = 1; to <= other.length; to++) {
      const replaced = (row[to - 1] ?? 0) + (one[at - 1] === other[to - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[to] ?? 0) + 1, (next[to - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
