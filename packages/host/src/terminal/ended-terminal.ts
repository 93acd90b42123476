// A terminal that no longer runs in this host, as its recording tells it.
import {
  type EntryOf,
  type EntryType,
  NacreError,
  type ScreenFormat,
  type TerminalData,
  type TerminalId,
} from "@nacre/contracts";
import { HOST_CLAIM } from "../claim/host-claim.ts";
import type { RecordedEntry } from "../recording/recorded-entry.ts";
import type { Recordings } from "../recording/recordings.ts";
import type { ScreenPicture } from "../screen/screen-change.ts";
import type { Screens } from "../screen/screens.ts";
import { ScreenHistory } from "./screen-history.ts";
import { dataOf, type TerminalStatus } from "./terminal-data.ts";

/** What a reading of a recording needs. */
export interface EndedParts {
  readonly recordings: Recordings;
  readonly screens: Screens;
}

/** Reads a terminal from its recording alone; without an exit in it, nobody saw the program end. */
export async function readEndedTerminal(id: TerminalId, parts: EndedParts): Promise<TerminalData> {
  const { recordings } = parts;
  const status = await statusOf(id, recordings);
  const { entries, extent } = await recordings.readWindow(id);
  const { firstSequence, lastSequence } = extent;
  const picture = await pictureOf(id, parts, { sequence: lastSequence, format: "ansi" });
  return dataOf(status, {
    entries,
    extent: {
      firstSequence,
      lastSequence,
      total: lastSequence - firstSequence + 1,
      state: recordings.state.state,
    },
    screen: picture?.content ?? "",
  });
}

/** What a recorded terminal showed as of a sequence; nothing when it has no entries. */
async function pictureOf(
  id: TerminalId,
  { recordings, screens }: EndedParts,
  at: { readonly sequence: number; readonly format: ScreenFormat },
): Promise<ScreenPicture | undefined> {
  if (at.sequence < 1) return undefined;
  return await new ScreenHistory(id, recordings).picture(screens, at);
}

async function statusOf(id: TerminalId, recordings: Recordings): Promise<TerminalStatus> {
  const row = await recordings.readTerminal(id);
  if (!row) throw new NacreError("terminal_not_found", `there is no ${id}`, { field: "id" });
  const newest = async <Type extends EntryType>(type: Type): Promise<EntryOf<Type> | undefined> => {
    const [entry] = await recordings.readEntries({
      terminalId: id,
      before: Number.MAX_SAFE_INTEGER,
      types: [type],
      limit: 1,
      maxBytes: 1,
    });
    return isOfType(entry, type) ? entry : undefined;
  };
  const [exit, claim, title, cwd, resize, header] = await Promise.all([
    newest("exit"),
    newest("claim"),
    newest("title"),
    newest("cwd"),
    newest("resize"),
    newest("header"),
  ]);
  const size = resize ?? header;
  return {
    row,
    state: exit ? "exited" : "lost",
    claim: claim
      ? { claim: claim.claim, epoch: claim.epoch, since: claim.occurredAt }
      : { claim: HOST_CLAIM, epoch: 1, since: row.createdAt },
    exit: exit ? { exitCode: exit.exitCode, signal: exit.signal } : undefined,
    title: title?.title,
    cwd: cwd?.cwd,
    cwdFallback: header?.cwdFallback,
    size: size ? { cols: size.cols, rows: size.rows } : undefined,
    commandDetection: "none",
    inputPolicy: "open",
    controlRequests: [],
    viewers: 0,
  };
}

function isOfType<Type extends EntryType>(
  entry: RecordedEntry | undefined,
  type: Type,
): entry is Extract<RecordedEntry, { type: Type }> & EntryOf<Type> {
  return entry?.type === type;
}
