import { DEFAULT_LIST_LENGTH, NacreError, type TerminalId } from "@nacre/contracts";
import { canSeeOwner } from "../auth/authorize.ts";
import { terminalNotFound } from "../registry/registry.ts";
import { resolveOwnerFilter } from "./access.ts";
import type { Handlers } from "./handler.ts";
import { paginate } from "./page-of.ts";
import type { OperationsDeps } from "./parts.ts";
import { pruneRecordings } from "./prune.ts";
import { verifyRecording, VerifySlots } from "./verify.ts";

type RecordingOperationName =
  | "findRecordingEntries"
  | "searchRecordings"
  | "listRecordings"
  | "readTimeline"
  | "verifyRecording"
  | "pruneRecordings"
  | "deleteRecording";

/** What is done with Recordings, of live and of ended Terminals alike. */
export function recordingHandlers({ registry }: OperationsDeps): Handlers<RecordingOperationName> {
  const { recordings } = registry;
  const verifying = new VerifySlots();
  return {
    findRecordingEntries: (input) => recordings.findEntries(input),
    searchRecordings: async ({ owner: asked, ...query }, { caller }) => {
      const owner = resolveOwnerFilter(caller, asked);
      const by = { name: caller.id, isFirst: caller.scope === "operator" };
      return await recordings.search(
        { ...query, ...(owner === undefined ? {} : { owner }) },
        { by },
      );
    },
    listRecordings: async (input, { caller }) => {
      const { owner: asked, after, newestFirst = false, limit = DEFAULT_LIST_LENGTH } = input;
      const owner = resolveOwnerFilter(caller, asked);
      if (after !== undefined) {
        const row = await recordings.readTerminal(after);
        if (!row || !canSeeOwner(caller, row.owner)) throw nothingAfter(after);
      }
      const page = { newestFirst, limit: limit + 1, ...(after === undefined ? {} : { after }) };
      const found = await recordings.listTerminals({ ...page, owner });
      const [rows, more] = paginate(found, limit, ({ id }) => id);
      return { recordings: rows, ...more };
    },
    readTimeline: (query) => recordings.readTimeline(query),
    verifyRecording: async ({ id }, { caller, signal }) => {
      using _turn = caller.scope === "agent" ? verifying.acquire(caller.id) : undefined;
      return await verifyRecording(recordings, id, signal);
    },
    pruneRecordings: (input) => pruneRecordings(registry, input),
    deleteRecording: async ({ id, purge = false, force }, { caller }) => {
      const how = { by: caller, force };
      if (purge) return { id, entries: await registry.purge(id, how) };
      if (!(await registry.findRow(id))) throw terminalNotFound(id);
      return { id, entries: await registry.delete(id, how) };
    },
  };
}

const nothingAfter = (after: TerminalId): NacreError =>
  new NacreError("invalid_argument", `after: there is no recording of ${after} to go on from`, {
    field: "after",
    suggestion: "List from the beginning.",
  });
