// What a victim says about its store, line by line: before it does something and once that is acknowledged.
import { readSync, writeSync } from "node:fs";

/** What happens to a terminal as a whole, or to its beginning; `scrub` is about all that were deleted. */
export type Deed = "create" | "seal" | "trim" | "delete" | "scrub";

/** One line: `offer` and `will` come before the deed, `did` and `recorded` after its acknowledgement. */
export type Said =
  /** Entries up to these sequences are about to be recorded, all at once. */
  | { readonly say: "offer"; readonly through: Readonly<Record<string, number>> }
  | { readonly say: "recorded"; readonly through: Readonly<Record<string, number>> }
  /** Records of the audit up to this sequence are about to be written, or are acknowledged. */
  | { readonly say: "offerAudit" | "audited"; readonly sequence: number }
  | {
      readonly say: "will" | "did";
      readonly deed: Deed;
      readonly uid: string;
      readonly sequence: number;
    }
  | { readonly say: "waiting" | "opened" | "ready" | "closed" }
  /** How often a text was found by searching. */
  | { readonly say: "found"; readonly text: string; readonly sequences: readonly number[] }
  | { readonly say: "verified"; readonly uid: string; readonly problem: string | undefined };

/** How long a pipe is left alone that is full because nobody reads from it right now. */
const FULL_PIPE_MS = 1;

const never = new Int32Array(new SharedArrayBuffer(4));

/** Says something before anything else happens; a line that was not said to its end is not heard. */
export function say(said: Said): void {
  let rest = Buffer.from(`${JSON.stringify(said)}\n`);
  while (rest.byteLength > 0) {
    try {
      rest = rest.subarray(writeSync(1, rest));
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "EAGAIN")) throw error;
      Atomics.wait(never, 0, 0, FULL_PIPE_MS);
    }
  }
}

/** Hears what was said; only programs of this folder say it. */
export const hear = (line: string): Said => JSON.parse(line) as Said;

/** Says that it waits, and waits for a word. */
export function waitForWord(): void {
  say({ say: "waiting" });
  readSync(0, new Uint8Array(1));
}
