/** Says what is wrong with a file at the place where its reader stands; never leaves this folder. */
export class MalformedCastError extends Error {
  override readonly name = "Malformed";
  /** The attribute of the header that is wrong. */
  readonly field: string | undefined;

  constructor(reason: string, field?: string) {
    super(reason);
    this.field = field;
  }
}
