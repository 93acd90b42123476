/** An answer of the host that may go on in another. */
interface Page<Cursor> {
  readonly nextAfter?: Cursor | undefined;
}

/** Where an answer begins: behind this, or with the first row. */
export interface After<Cursor> {
  readonly after?: Cursor;
}

/** So many rows are in one answer at most. */
export const PAGE_ROWS = 1000;

/** Reads answers to the last one; leaving the loop asks for no more. */
export async function* readPages<Cursor, Answer extends Page<Cursor>>(
  read: (after: After<Cursor>) => Promise<Answer>,
  first?: NoInfer<Cursor>,
): AsyncGenerator<Answer, void> {
  for (let after: Cursor | undefined = first; ;) {
    const page = await read(after === undefined ? {} : { after });
    yield page;
    after = page.nextAfter;
    if (after === undefined) return;
  }
}

/** Reads all rows of a list, however many answers that takes. */
export async function readAll<Cursor, Answer extends Page<Cursor>, Row>(
  read: (after: After<Cursor>) => Promise<Answer>,
  rowsOf: (page: Answer) => readonly Row[],
  first?: NoInfer<Cursor>,
): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for await (const page of readPages(read, first)) rows.push(...rowsOf(page));
  return rows;
}
