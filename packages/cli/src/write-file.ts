import { writeFile } from "node:fs/promises";
import { NacreError } from "@nacre/contracts/error";

/** Writes what a verb has got to where `-o` says; only this user can read it, since terminals show secrets. */
export async function writePrivate(path: string, text: string): Promise<void> {
  try {
    await writeFile(path, text, { mode: 0o600 });
  } catch (cause) {
    throw fileProblem(path, cause);
  }
}

/** A file that cannot be used, in words. */
export function fileProblem(path: string, cause: unknown): NacreError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new NacreError("invalid_argument", `${path}: ${reason}`, {
    cause,
    suggestion: "Name a file that can be used.",
  });
}
