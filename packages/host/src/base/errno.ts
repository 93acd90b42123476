/** Such as `ENOENT`. */
export function errnoOf(error: unknown): string | undefined {
  const code: unknown = error instanceof Error && "code" in error ? error.code : undefined;
  return typeof code === "string" ? code : undefined;
}

export const hasErrno = (error: unknown, ...names: readonly string[]): boolean =>
  names.includes(errnoOf(error) ?? "");
