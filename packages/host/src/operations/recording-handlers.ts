import {
  DEFAULT_LIST_LENGTH,
  MAX_LIST_LENGTH,
  NacreError,
  type OwnerFilter,
  type TerminalId,
  type TerminalStorage,
} from "@nacre/contracts";
import { isOwn } from "../auth/authorize.ts";
import { type Registry, terminalNotFound } from "../registry/registry.ts";
import { ownersFor } from "./access.ts";
import type { Handlers } from "./handler.ts";
import { isOwnedBy } from "./owned-by.ts";
import { pageOf } from "./page-of.ts";
import type { OperationsParts } from "./parts.ts";
import { prune } from "./prune.ts";
import { verify } from "./verify.ts";

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
      const found = await rowsOf(registry, { owner, after, newestFirst, count: limit + 1 });
      const [page, more] = pageOf(found, limit, ({ id }) => id);
      return { recordings: page, ...more };
    },
    readTimeline: (query) => recordings.readTimeline(query),
    verifyRecording: ({ id }, { signal }) => verify(recordings, id, signal),
    pruneRecordings: (input) => prune(registry, input),
    deleteRecording: async ({ id, purge = false, force }, { caller }) => {
      const how = { by: caller, force };
      if (purge) return { id, entries: await registry.purge(id, how) };
      if (!(await registry.findRow(id))) throw terminalNotFound(id);
      return { id, entries: await registry.delete(id, how) };
    },
  };
}

interface RowQuery {
  readonly owner: OwnerFilter | undefined;
  readonly after: TerminalId | undefined;
  readonly newestFirst: boolean;
  readonly count: number;
}

/** The first rows of an owner behind another row, however many of others lie between them. */
async function rowsOf(registry: Registry, { owner, after, newestFirst, count }: RowQuery) {
  const found: TerminalStorage[] = [];
  for (let from = after; ;) {
    const rows = await registry.recordings.listTerminals({
      newestFirst,
      limit: owner === undefined ? count : MAX_LIST_LENGTH,
      ...(from === undefined ? {} : { after: from }),
    });
    found.push(...rows.filter((row) => isOwnedBy(row.owner, owner)));
    from = rows.at(-1)?.id;
    if (from === undefined || found.length >= count) return found;
  }
}

const nothingAfter = (after: TerminalId): NacreError =>
  new NacreError("invalid_argument", `after: there is no recording of ${after} to go on from`, {
    field: "after",
    suggestion: "List from the beginning.",
  });
