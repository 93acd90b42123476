import { DEFAULT_LIST_LENGTH, NacreError, type TerminalId } from "@nacre/contracts";
import { isOwn } from "../auth/authorize.ts";
import { terminalNotFound } from "../registry/registry.ts";
import { ownersFor } from "./access.ts";
import type { Handlers } from "./handler.ts";
import { pageOf } from "./page-of.ts";
import type { OperationsParts } from "./parts.ts";
import { prune } from "./prune.ts";
import { verify, VerifyTurns } from "./verify.ts";

type Names =
  | "findRecordingEntries"
  | "searchRecordings"
  | "listRecordings"
  | "readTimeline"
  | "verifyRecording"
  | "pruneRecordings"
  | "deleteRecording";

/** What is done with Recordings, of live and of ended Terminals alike. */
export function recordingHandlers({ registry }: OperationsParts): Handlers<Names> {
  const { recordings } = registry;
  const verifying = new VerifyTurns();
  return {
    findRecordingEntries: (input) => recordings.findEntries(input),
    searchRecordings: async ({ owner: asked, ...query }, { caller }) => {
      const owner = ownersFor(caller, asked);
      const by = { name: caller.id, isFirst: caller.scope === "operator" };
      return await recordings.search(
        { ...query, ...(owner === undefined ? {} : { owner }) },
        { by },
      );
    },
    listRecordings: async (input, { caller }) => {
      const { owner: asked, after, newestFirst = false, limit = DEFAULT_LIST_LENGTH } = input;
      const owner = ownersFor(caller, asked);
      if (after !== undefined) {
        const row = await recordings.readTerminal(after);
        if (!row || !isOwn(caller, row.owner)) throw nothingAfter(after);
      }
      const page = { newestFirst, limit: limit + 1, ...(after === undefined ? {} : { after }) };
      const found = await recordings.listTerminals({ ...page, owner });
      const [rows, more] = pageOf(found, limit, ({ id }) => id);
      return { recordings: rows, ...more };
    },
    readTimeline: (query) => recordings.readTimeline(query),
    verifyRecording: async ({ id }, { caller, signal }) => {
      using _turn = caller.scope === "agent" ? verifying.take(caller.id) : undefined;
      return await verify(recordings, id, signal);
    },
    pruneRecordings: (input) => prune(registry, input),
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
