import { decodeBytes, type TerminalId } from "@nacre/contracts";
import type { NacreClient } from "@nacre/client";
import { expect } from "vitest";

/** Counts as fast as it can and writes the same into a file, until it is told to stop by another. */
export const counting = (name: string): string =>
  `stty raw -echo -opost; i=0; while [ ! -e ${name}.stop ]; do i=$((i+1)); echo line $i | tee -a ${name}; done; exit 9`;

/** Everything that a recording has of the output: proven, from its first entry to its last, without gap or overlap. */
export async function recordedOutput(client: NacreClient, id: TerminalId): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for (let after: number | undefined = 0; after !== undefined;) {
    const page = await client.findRecordingEntries({
      terminalId: id,
      after,
      limit: 500,
      view: "raw",
    });
    for (const entry of page.entries) {
      expect(entry.sequence).toBe(after + 1);
      after = entry.sequence;
      expect(entry.type).not.toBe("gap");
      if (entry.type !== "output") continue;
      expect(entry.offset).toBe(bytes);
      const data = decodeBytes({ ...entry, data: entry.data ?? "" });
      bytes += data.byteLength;
      parts.push(data);
    }
    if (!page.truncated) break;
  }
  expect(await client.verifyRecording({ id })).toMatchObject({ ok: true });
  return Buffer.concat(parts);
}

/** Starts a process, ends it, and waits for what it does: longer than most tests. */
export const LONG_TEST = { timeout: 90_000 };
