import { existsSync, readFileSync } from "node:fs";

/** What a file has; nothing of one that was removed since it was listed, as a lock that is let go. */
export function readIfPresent(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    if (existsSync(path)) throw error;
    return Buffer.alloc(0);
  }
}
