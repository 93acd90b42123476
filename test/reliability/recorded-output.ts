import { createHash } from "node:crypto";
import type { NacreClient } from "@nacre/client";
import {
  decodeBytes,
  type OutputView,
  type TerminalId,
  type TerminalRecordingEntry,
} from "@nacre/contracts";

/** What a recording has of one program. */
export interface RecordedOutput {
  readonly sha256: string;
  readonly bytes: number;
  readonly exitCode: number | null | undefined;
}

/** Reads the recording of a terminal to its end; throws where an entry or a byte is missing or there twice. */
export async function readRecorded(
  client: NacreClient,
  id: TerminalId,
  part: "all" | "command" = "all",
): Promise<RecordedOutput> {
  const hash = createHash("sha256");
  let [bytes, offset] = [0, 0];
  let isIn = part === "all";
  let exitCode: number | null | undefined;
  // What a command wrote is told apart from what its shell says of it; the positions are those of the raw output.
  const view = part === "all" ? "raw" : "stripped";
  for await (const entry of entriesOf(client, id, view)) {
    if (entry.type === "gap") throw new Error(`${id} has a gap at ${entry.sequence}`);
    if (entry.type === "command") isIn = true;
    if (entry.type === "commandEnd") [isIn, exitCode] = [part === "all", entry.exitCode];
    if (entry.type === "exit" && part === "all") exitCode = entry.exitCode;
    if (entry.type !== "output") continue;
    const data = bytesOf(entry);
    if (view === "raw" && entry.offset !== offset) {
      throw new Error(`${id} goes on at byte ${entry.offset} instead of ${offset}`);
    }
    offset += data.byteLength;
    if (!isIn) continue;
    hash.update(data);
    bytes += data.byteLength;
  }
  return { sha256: hash.digest("hex"), bytes, exitCode };
}

/** All entries of a recording; throws when their numbers do not follow each other. */
export async function* entriesOf(
  client: NacreClient,
  terminalId: TerminalId,
  view: OutputView,
): AsyncGenerator<TerminalRecordingEntry> {
  let sequence = 0;
  for (let next: number | undefined = 0; next !== undefined;) {
    const page = await client.findRecordingEntries({
      terminalId,
      after: next,
      limit: 1000,
      view,
    });
    for (const entry of page.entries) {
      sequence++;
      if (entry.sequence !== sequence) {
        throw new Error(`${terminalId} has entry ${entry.sequence} instead of ${sequence}`);
      }
      yield entry;
    }
    next = page.nextAfter;
  }
}

/** The bytes of an entry; none when they were withheld. */
export const bytesOf = ({
  data = "",
  encoding,
}: {
  readonly data?: string | undefined;
  readonly encoding?: "base64" | undefined;
}): Uint8Array => decodeBytes({ data, encoding });
