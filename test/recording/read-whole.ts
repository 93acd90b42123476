import { isDeepStrictEqual } from "node:util";
import type { StoreReader } from "../../packages/host/src/store/store.ts";
import { idOf } from "../support/numbered-entries.ts";

/** Reads everything at once; the samples are small. */
const ALL = { limit: 100_000, maxBytes: Number.MAX_SAFE_INTEGER };

/** The ways to ask for entries; each is answered in its own way. */
const QUERIES = [
  {},
  { before: Number.MAX_SAFE_INTEGER },
  { types: ["output", "input"] },
  { types: ["input", "resize", "title", "clear", "header"] },
  { types: ["title"], before: Number.MAX_SAFE_INTEGER },
] as const;

/** All that can be read of one terminal, in every way that there is. */
export function readWhole(store: StoreReader, uid: string) {
  const terminalId = idOf(uid);
  return {
    terminal: store.readTerminal(terminalId),
    extent: store.readExtent(terminalId),
    head: store.readHead(terminalId),
    anchor: store.readAnchor(terminalId),
    seal: store.readSeal(terminalId),
    usage: store.readUsage().find((usage) => usage.terminalId === terminalId),
    entries: QUERIES.map((query) => store.readEntries({ terminalId, ...ALL, ...query })),
  };
}

/** A terminal as it was read. */
export type WholeTerminal = ReturnType<typeof readWhole>;

/** Compares everything that is read with what was recorded; `unsealed` is as before but for its seal. */
export function compareWhole(
  store: StoreReader,
  uid: string,
  before: WholeTerminal,
): "same" | "unsealed" | "other" | "error" {
  try {
    const after = readWhole(store, uid);
    if (isDeepStrictEqual(after, before)) return "same";
    const isSealLost = before.seal !== undefined && after.seal === undefined;
    const sealed = { seal: before.seal, usage: before.usage };
    return isSealLost && isDeepStrictEqual({ ...after, ...sealed }, before) ? "unsealed" : "other";
  } catch {
    return "error"; // What cannot be read is not taken for good.
  }
}
