/** The name that the operating system gave a failure, such as `ENOENT`. */
export function errnoOf(error: unknown): string | undefined {
  const code: unknown = error instanceof Error && "code" in error ? error.code : undefined;
  return typeof code === "string" ? code : undefined;
}
