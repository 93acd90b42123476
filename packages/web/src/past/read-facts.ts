import type { NacreClient } from "@nacre/client";
import type { TerminalId } from "@nacre/contracts";
import { FACT_TYPES, factsOf, type RecordingFacts } from "./recording-line.ts";

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
