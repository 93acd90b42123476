import type { EntryOf } from "@nacre/contracts";

/** Output as it is recorded. */
export type OutputEntry = EntryOf<"output">;

/** The bytes of an entry; none where they were purged. */
export const decodeEntry = ({ data = "", encoding }: OutputEntry): Uint8Array =>
  Buffer.from(data, encoding === "base64" ? "base64" : "utf8");
