// One line of the list of recordings: what the row of its terminal, its entries and the live list say together.
import type { NacreClient } from "@nacre/client";
import { isAlive, shortLabel } from "@nacre/client/ui";
import type {
  TerminalId,
  TerminalRecordingEntry,
  TerminalState,
  TerminalStorage,
  TerminalSummary,
} from "@nacre/contracts";

/** Titles are short, so that many fit into one answer. */
const PAGE_ENTRIES = 1000;

/** Reads what only the entries of a recording say; of more titles than fit into an answer the last of the first page counts. */
export async function readFacts(
  client: NacreClient,
  id: TerminalId,
  signal?: AbortSignal,
): Promise<RecordingFacts> {
  const find = (types: ("title" | "exit")[]) =>
    client.findRecordingEntries({ terminalId: id, types, limit: PAGE_ENTRIES }, { signal });
  const { entries, truncated } = await find([...FACT_TYPES]);
  const facts = factsOf(truncated ? [...entries, ...(await find(["exit"])).entries] : entries);
  if (facts.durationMs !== undefined) return facts;
  // Nobody saw its end, or it has none yet.
  const { durationMs } = await client.readTimeline({ id, points: 2 }, { signal });
  return { ...facts, durationMs };
}

/** What only the entries of a recording say. */
export interface RecordingFacts {
  readonly title: string | undefined;
  /** How long it is; absent when nobody saw its end. */
  readonly durationMs: number | undefined;
  readonly outputBytes: number | undefined;
  readonly hasExit: boolean;
  readonly exitCode: number | null;
  readonly signal: string | undefined;
}

/** What the list shows of a recording. */
export interface RecordingLine {
  readonly row: TerminalStorage;
  readonly title: string;
  readonly state: TerminalState | undefined;
  readonly isRunning: boolean;
  readonly exitCode: number | null;
  readonly signal: string | undefined;
  readonly durationMs: number | undefined;
  readonly outputBytes: number | undefined;
}

/** Which lines are wanted. */
export interface LineFilter {
  readonly text: string;
  readonly state: "" | "running" | "ended";
  /** Only those created at this time or later, in Unix milliseconds. */
  readonly since: number | undefined;
}

/** The entries that `factsOf` reads. */
const FACT_TYPES = ["title", "exit"] as const;

/** Reads what the entries say that are not output; the last of each type counts. */
export function factsOf(entries: readonly TerminalRecordingEntry[]): RecordingFacts {
  const title = entries.findLast((entry) => entry.type === "title");
  const exit = entries.findLast((entry) => entry.type === "exit");
  return {
    title: title?.title,
    durationMs: exit?.elapsedMs,
    outputBytes: exit?.outputBytes,
    hasExit: exit !== undefined,
    exitCode: exit?.exitCode ?? null,
    signal: exit?.signal,
  };
}

/** Puts together what is known of a recording so far. */
export function lineOf(
  row: TerminalStorage,
  summary: TerminalSummary | undefined,
  facts: RecordingFacts | undefined,
): RecordingLine {
  const state = summary?.state;
  return {
    row,
    title: shortLabel(summary?.title || facts?.title || launchedAs(row)),
    state,
    isRunning: isAlive({ state }),
    exitCode: summary?.exitCode ?? facts?.exitCode ?? null,
    signal: summary?.signal ?? facts?.signal,
    durationMs: facts?.durationMs,
    outputBytes: facts?.outputBytes,
  };
}

/** What stands for the title where nobody set one. */
const launchedAs = ({ name, command, args }: TerminalStorage): string =>
  name || [command, ...(args ?? [])].filter(Boolean).join(" ") || "Shell";

/** Whether a line is wanted; texts are compared without case. */
export function isWanted(
  { row, title, isRunning }: RecordingLine,
  { text, state, since }: LineFilter,
): boolean {
  if (state !== "" && isRunning !== (state === "running")) return false;
  if (since !== undefined && Date.parse(row.createdAt) < since) return false;
  const wanted = text.trim().toLowerCase();
  if (wanted === "") return true;
  const { owner, workingDirectory, id, name } = row;
  const said = [
    title,
    name,
    launchedAs(row),
    owner.entityName,
    owner.entityId,
    workingDirectory,
    id,
  ];
  return said.some((one) => one?.toLowerCase().includes(wanted));
}
