import type { ServerResponse } from "node:http";

/** A reader that takes nothing for so long is gone, or comes back. */
const STALL_MS = 30_000;

/** Resolves when an answer can be written on with, or its reader is gone; one that takes nothing for too long is let go. */
export async function waitForDrain(
  response: ServerResponse,
  signal: AbortSignal,
  stallMs = STALL_MS,
): Promise<void> {
  await new Promise<void>((resolve) => {
    const stall = setTimeout(() => {
      response.destroy();
    }, stallMs);
    const finish = (): void => {
      clearTimeout(stall);
      response.off("drain", finish);
      signal.removeEventListener("abort", finish);
      resolve();
    };
    response.on("drain", finish);
    signal.addEventListener("abort", finish);
    if (signal.aborted) finish();
  });
}
