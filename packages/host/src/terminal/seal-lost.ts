import type { LostReason, TerminalId } from "@nacre/contracts";
import type { Recordings } from "../recording/recordings.ts";
import { lostFact } from "./terminal-facts.ts";
import { settleWithin } from "./within.ts";

/** A host does not wait longer than this before it starts; what is not sealed by then is sealed meanwhile, or the next time. */
const MAX_SEAL_MS = 1000;

/** How the recordings of terminals that are gone are closed. */
export interface SealLostOptions {
  readonly lostReason: LostReason;
  /** Terminals that still run. */
  readonly except: ReadonlySet<TerminalId>;
  readonly report: (error: unknown) => void;
}

/** Writes down of every terminal that no longer runs that nobody saw it end, and seals its recording; tells how many were lost. */
export async function sealLost(
  recordings: Recordings,
  { lostReason, except, report }: SealLostOptions,
): Promise<number> {
  // With a disk in trouble it would wait for that, and nobody could look at what there is.
  if (recordings.state.state !== "ok") return 0;
  let lost = 0;
  const seal = async (id: TerminalId): Promise<void> => {
    if (await sealOne(id, recordings, lostReason)) lost++;
  };
  const ids = (await recordings.listUnsealed()).filter((id) => !except.has(id));
  await settleWithin(Promise.all(ids.map((id) => seal(id).catch(report))), MAX_SEAL_MS);
  return lost;
}

async function sealOne(
  id: TerminalId,
  recordings: Recordings,
  lostReason: LostReason,
): Promise<boolean> {
  const newest = { terminalId: id, before: Number.MAX_SAFE_INTEGER, limit: 1, maxBytes: 1 };
  const [last] = await recordings.readEntries(newest);
  // Its program was never started, or nobody was told of it.
  if (!last) return false;
  const recording = await recordings.resume(id);
  // What only waited to be recorded, such as a gap, may stand behind the end.
  const [exit] = await recordings.readEntries({ ...newest, types: ["exit"] });
  const isLost = exit === undefined;
  if (isLost) await recording.append(lostFact(lostReason));
  await recording.seal();
  return isLost;
}
