/** The name of a system error, such as `ENOENT`; nothing for other errors. */
export function errnoOf(error: unknown): string | undefined {
  const code: unknown = error instanceof Error && "code" in error ? error.code : undefined;
  return typeof code === "string" ? code : undefined;
}

/** Whether an error is one of these of the system. */
export const hasErrno = (error: unknown, ...names: readonly string[]): boolean =>
  names.includes(errnoOf(error) ?? "");
