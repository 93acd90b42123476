import { writeFile } from "node:fs/promises";
import { NacreError } from "@nacre/contracts/error";

/** Private, since terminals show secrets. */
export async function writePrivate(path: string, text: string): Promise<void> {
  try {
    await writeFile(path, text, { mode: 0o600 });
  } catch (cause) {
    throw fileProblem(path, cause);
  }
}

export function fileProblem(path: string, cause: unknown): NacreError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new NacreError("invalid_argument", `${path}: ${reason}`, {
    cause,
    suggestion: "Name a file that can be used.",
  });
}
