// Survives the service: taken and running requests, and sessions.
import { TerminalId } from "@nacre/contracts";
import { z } from "zod";
import { probeFile, readUnchanged } from "./control-file.ts";
import { CONTROL_NAMES, ControlRequestId } from "./control-request.ts";
import type { DirectoryHandle } from "./directory-handle.ts";
import { StoredSession } from "./control-sessions.ts";

/** Beside the files that agents read. */
export const JOURNAL_FILE = ".state.json";

/** More than all listed sessions need. */
const MAX_JOURNAL_BYTES = 4 * 1024 * 1024;

const Active = z.strictObject({
  request_id: ControlRequestId,
  operation: z.string(),
  tool: z.string().nullable(),
  session_id: z.string().nullable(),
  /** Chosen before the command starts, so that its terminal can be found whatever happens. */
  terminal_id: TerminalId.optional(),
  started_at_ms: z.number(),
});

export type Active = z.infer<typeof Active>;

const Journal = z.strictObject({
  version: z.literal(1),
  taken: z.partialRecord(z.enum(CONTROL_NAMES), z.string().regex(/^\d+:\d+:\d+:\d+$/)),
  running: z.array(Active),
  sessions: z.array(StoredSession),
  current: z.string().nullable(),
  counter: z.int().min(0),
});

export type Journal = z.infer<typeof Journal>;

/** Undefined where it is unreadable. */
export async function readJournal(directory: DirectoryHandle): Promise<Journal | undefined> {
  const path = directory.pathOf(JOURNAL_FILE);
  const seen = await probeFile(path, MAX_JOURNAL_BYTES);
  if (seen.kind !== "file") return undefined;
  const bytes = await readUnchanged(path, seen.stamp, MAX_JOURNAL_BYTES);
  if (!bytes) return undefined;
  try {
    return Journal.safeParse(JSON.parse(bytes.toString())).data;
  } catch {
    // Overwritten by somebody: as good as none.
    return undefined;
  }
}
