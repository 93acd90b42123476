/** A page of a list, and where the next one begins when there is one. */
export type PageEnd<Key> =
  | { readonly truncated: true; readonly nextAfter: Key }
  | { readonly truncated: false };

/** Cuts one more item than was asked for down to a page; the one too many tells that more follow. */
export function paginate<Item, Key>(
  items: readonly Item[],
  limit: number,
  keyOf: (item: Item) => Key,
): [Item[], PageEnd<Key>] {
  const page = items.slice(0, limit);
  const last = page.at(-1);
  return items.length > limit && last !== undefined
    ? [page, { truncated: true, nextAfter: keyOf(last) }]
    : [page, { truncated: false }];
}
