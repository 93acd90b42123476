import { NacreError } from "@nacre/contracts";
import type { Recordings } from "../recording/recordings.ts";
import { BlockedTimer } from "./wait.ts";

/** Refuses what must be recorded to count, while nothing can be recorded. */
export function requireRecording({ state }: Pick<Recordings, "state">): void {
  if (state.state === "ok") return;
  throw new NacreError("recording_blocked", `nothing can be recorded now: ${state.message}`, {
    suggestion: "Make room on the disk, then try again.",
  });
}

/** Waits for something to be recorded, but not for the disk: where that is full, or fails for a while, it is `recording_blocked`. */
export async function unlessBlocked<Value>(
  recorded: Promise<Value>,
  recordings: Pick<Recordings, "state" | "blocked" | "onState">,
): Promise<Value> {
  const { promise, resolve, reject } = Promise.withResolvers<Value>();
  recorded.then(resolve, reject);
  const refuse = (): void => {
    try {
      requireRecording(recordings);
    } catch (error) {
      reject(error);
    }
  };
  using failing = new BlockedTimer(() => recordings.blocked, refuse);
  const look = (): void => {
    failing.look();
    if (recordings.blocked?.reason === "diskFull") refuse();
  };
  using _listening = recordings.onState(look);
  look();
  return await promise;
}
