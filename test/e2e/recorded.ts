import type { NacreClient } from "@nacre/client";
import { decodeBytes, type TerminalId, type TerminalRecordingEntry } from "@nacre/contracts";

/** An entry without what must differ between two tellings of one story. */
export type Recorded = Readonly<Record<string, unknown>>;

/** The whole recording of a terminal, without what must differ. */
export async function readRecorded(
  client: NacreClient,
  terminalId: TerminalId,
): Promise<readonly Recorded[]> {
  const entries: TerminalRecordingEntry[] = [];
  for (let after: number | undefined = 0; after !== undefined;) {
    const page = await client.findRecordingEntries({ terminalId, after });
    entries.push(...page.entries);
    after = page.nextAfter;
  }
  return joined(comparable(entries));
}

/**
 * Leaves out what must differ, and nothing else:
 *
 * - `id`, `terminalId`, `commandId`: made anew; a command keeps its number in the recording
 * - `occurredAt`, `elapsedMs`, `durationMs`: times
 * - `by`, `claim`: who it was; that it was one caller throughout is kept
 * - `sequence`, `offset`: follow from how bytes were cut into entries
 * - `outputBytes`: counts the codes of markers too, which are not equally long
 *
 * The codes themselves are not there: the recording is read as viewers get it.
 */
function comparable(entries: readonly TerminalRecordingEntry[]): readonly Recorded[] {
  const commands: string[] = [];
  const caller = entries.flatMap((entry) => ("by" in entry ? (entry.by ?? []) : []))[0];
  return entries.map((entry) => {
    const { id: _i, terminalId: _t, occurredAt: _o, elapsedMs: _e, sequence: _s, ...rest } = entry;
    const fields: Record<string, unknown> = { ...rest };
    if ("by" in entry) fields["by"] = entry.by === caller ? "the caller" : "somebody else";
    if (entry.type === "command") commands.push(entry.commandId);
    if ("commandId" in entry) fields["commandId"] = commands.indexOf(entry.commandId);
    if (entry.type === "commandEnd") delete fields["durationMs"];
    if (entry.type === "claim") delete fields["claim"];
    if (entry.type === "output") delete fields["offset"];
    if (entry.type === "exit") delete fields["outputBytes"];
    if ("data" in entry && entry.data !== undefined) {
      fields["data"] = Buffer.from(decodeBytes({ ...entry, data: entry.data })).toString();
      delete fields["encoding"];
    }
    return fields;
  });
}

/** Puts output together that was cut anywhere, and so input: who types one key after the other types the same. */
function joined(entries: readonly Recorded[]): readonly Recorded[] {
  const all: Recorded[] = [];
  for (const entry of entries) {
    const last = all.at(-1);
    if (last !== undefined && isSameButData(last, entry)) {
      all[all.length - 1] = { ...last, data: `${String(last["data"])}${String(entry["data"])}` };
    } else {
      all.push(entry);
    }
  }
  return all;
}

function isSameButData(one: Recorded, other: Recorded): boolean {
  if (typeof one["data"] !== "string" || typeof other["data"] !== "string") return false;
  const rest = (entry: Recorded): string => JSON.stringify({ ...entry, data: undefined });
  return rest(one) === rest(other);
}
