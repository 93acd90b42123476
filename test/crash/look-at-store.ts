import { existsSync, readFileSync, statSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { verifyRecording } from "../../packages/host/src/recording/verify.ts";
import { MIGRATIONS } from "../../packages/host/src/store/migrations.ts";
import { openSqliteReader, openSqliteStore } from "../../packages/host/src/store/sqlite-store.ts";
import type { StoreReader } from "../../packages/host/src/store/store.ts";
import { idOf, problemOf, traceOf, uidOf } from "../support/numbered-entries.ts";
import { MAX_AUDIT_RECORDS, problemOfAudit } from "./known-audit.ts";
import type { SeenTerminal } from "./known-store.ts";

/** How to look at a store. */
export interface LookOptions {
  readonly path: string;
  /** Opens it as a restarted host does, which repairs it; otherwise it is left as the victim left it. */
  readonly asWriter: boolean;
  /** Also has SQLite look at every page. */
  readonly thorough: boolean;
  /** Terminals of which no byte may be in the files. */
  readonly scrubbed: readonly string[];
}

/** What was seen in a store. */
export interface Look {
  /** Why there is nothing in it yet; absent when it has its schema. */
  readonly unmade?: string;
  readonly seen: readonly SeenTerminal[];
  readonly auditCount: number;
  /** What cannot be right, whatever was acknowledged. */
  readonly problem?: string;
}

/** How much is read at once. */
const PAGE = { limit: 500, maxBytes: 1024 * 1024 };
const MAX_TERMINALS = 10_000;

/** Reads and proves everything in the store of a killed victim. */
export function lookAtStore(options: LookOptions): Look {
  const seen: SeenTerminal[] = [];
  let auditCount = 0;
  try {
    const { path, asWriter, thorough, scrubbed } = options;
    // Looking at it as a reader first would spoil what the writer has to repair.
    const schema = asWriter && existsSync(path) ? {} : lookAtSchema(path);
    if (schema.unmade !== undefined || schema.problem !== undefined)
      return { seen, auditCount, ...schema };
    {
      using store = asWriter ? openSqliteStore(path) : openSqliteReader(path);
      for (const { id } of store.listTerminals({ limit: MAX_TERMINALS })) {
        const terminal = seeTerminal(store, uidOf(id));
        if (typeof terminal === "string") return { seen, auditCount, problem: terminal };
        seen.push(terminal);
      }
      const audit = store.readAudit({ after: 0, limit: MAX_AUDIT_RECORDS });
      auditCount = audit.length;
      const problem = problemOfAudit(audit);
      if (problem !== undefined) return { seen, auditCount, problem };
    }
    const problem =
      problemOfTraces(path, scrubbed) ?? (thorough ? problemOfPages(path) : undefined);
    return problem === undefined ? { seen, auditCount } : { seen, auditCount, problem };
  } catch (error) {
    // What prevents a look at the store is a problem of the store.
    return { seen, auditCount, problem: `the store cannot be opened or read: ${String(error)}` };
  }
}

/** The schema is the old one, which is none, or the new one. */
function lookAtSchema(path: string): { unmade?: string; problem?: string } {
  if (!existsSync(path)) return { unmade: "there is no store" };
  const isUntouched = statSync(path).size === 0 || existsSync(`${path}-journal`);
  if (isUntouched) return { unmade: "the store was never made" };
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    const version = Number(database.prepare("PRAGMA user_version").get()?.["user_version"]);
    const tables = Number(
      database.prepare("SELECT count(*) AS count FROM sqlite_schema").get()?.["count"],
    );
    if (version === MIGRATIONS.length && tables > 0) return {};
    if (version === 0 && tables === 0) return { unmade: "the schema is the old one" };
    return {
      problem: `the schema is between versions: ${version} with ${tables} tables and indexes`,
    };
  } finally {
    database.close();
  }
}

function seeTerminal(store: StoreReader, uid: string): SeenTerminal | string {
  const terminalId = idOf(uid);
  const { firstSequence, lastSequence } = store.readExtent(terminalId);
  let next = firstSequence;
  for (;;) {
    const rows = store.readEntries({ terminalId, after: next - 1, ...PAGE });
    if (rows.length === 0) break;
    for (const row of rows) {
      if (row.sequence !== next)
        return `entry ${next} of ${uid} is missing, ${row.sequence} follows`;
      const problem = problemOf(uid, row);
      if (problem !== undefined) return problem;
      next++;
    }
  }
  if (next !== lastSequence + 1) return `${uid} ends with ${next - 1}, not with ${lastSequence}`;
  for (const step of verifyRecording(store, terminalId)) {
    if ("ok" in step && !step.ok) return `${uid} does not verify: ${step.reason}`;
  }
  return { uid, firstSequence, lastSequence, sealSequence: store.readSeal(terminalId)?.sequence };
}

/** Nothing of a terminal that was purged may be found in any file. */
function problemOfTraces(path: string, scrubbed: readonly string[]): string | undefined {
  if (scrubbed.length === 0) return undefined;
  const files = ["", "-wal"].filter((end) => existsSync(path + end));
  const contents = files.map((end) => readFileSync(path + end));
  const found = scrubbed.find((uid) => contents.some((content) => content.includes(traceOf(uid))));
  return found === undefined ? undefined : `${found} was purged and is still found in the files`;
}

function problemOfPages(path: string): string | undefined {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    const rows = database.prepare("PRAGMA integrity_check").all();
    const [first] = rows.map((row) => String(row["integrity_check"]));
    return first === "ok" ? undefined : `SQLite finds: ${first}`;
  } finally {
    database.close();
  }
}
