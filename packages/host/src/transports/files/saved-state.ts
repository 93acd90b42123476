// Survives the service: taken and running requests, and sessions.
import { TerminalId } from "@nacre/contracts";
import { z } from "zod";
import { readPlainFile } from "./control-file.ts";
import { CONTROL_NAMES, ControlRequestId } from "./control-file-request.ts";
import type { DirectoryHandle } from "./directory-handle.ts";
import { StoredSession } from "./control-sessions.ts";

/** Where it is kept, beside what agents look at. */
export const STATE_FILE = ".state.json";

/** More than all sessions that are listed can need. */
const MAX_STATE_BYTES = 4 * 1024 * 1024;

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

const SavedState = z.strictObject({
  version: z.literal(1),
  taken: z.partialRecord(z.enum(CONTROL_NAMES), z.string().regex(/^\d+:\d+:\d+:\d+$/)),
  running: z.array(Active),
  sessions: z.array(StoredSession),
  current: z.string().nullable(),
  counter: z.int().min(0),
});

/** What was true when the service last wrote it down. */
export type SavedState = z.infer<typeof SavedState>;

/** What was written down, or nothing where that cannot be known any more. */
export async function readSavedState(directory: DirectoryHandle): Promise<SavedState | undefined> {
  const bytes = await readPlainFile(directory.pathOf(STATE_FILE), MAX_STATE_BYTES);
  if (!bytes) return undefined;
  try {
    return SavedState.safeParse(JSON.parse(bytes.toString())).data;
  } catch {
    // Overwritten by somebody: as good as none.
    return undefined;
  }
}
