import { copyFileSync, existsSync } from "node:fs";
import { join } from "node:path";
import { Recorder } from "../../packages/host/src/recording/recorder.ts";
import type { Write } from "../../packages/host/src/recording/write.ts";
import { openSqliteStore } from "../../packages/host/src/store/sqlite-store.ts";
import { entryWriteOf, idOf, terminalOf } from "../support/numbered-entries.ts";
import { ownDirectory } from "../support/own-directory.ts";

/** One recording of a sample: entries up to `last`, of which those up to `trimmed` were removed. */
export interface SampleTerminal {
  readonly uid: string;
  readonly last: number;
  readonly trimmed: number;
  readonly sealed: boolean;
}

/** A sealed recording, one without its beginning, one that is still open, and one that is empty. */
export const SAMPLE_TERMINALS: readonly SampleTerminal[] = [
  { uid: "whole", last: 120, trimmed: 0, sealed: true },
  { uid: "trimmed", last: 90, trimmed: 30, sealed: true },
  { uid: "open", last: 60, trimmed: 0, sealed: false },
  { uid: "empty", last: 0, trimmed: 0, sealed: true },
];

/** So many entries are committed together. */
const GROUP_WRITES = 8;

/** A store to be damaged, in a directory of its own. */
export interface Sample extends Disposable {
  readonly path: string;
  /** A copy as it was while the store was open: much of it is still in its log. */
  readonly unfoldedPath: string;
}

/** Records the sample. */
export function recordSample(): Sample {
  const own = ownDirectory();
  const directory = own.path;
  const path = join(directory, "recordings.db");
  const unfoldedPath = join(directory, "unfolded.db");
  {
    using recorder = new Recorder({
      open: () => openSqliteStore(path),
      freeBytes: () => Number.POSITIVE_INFINITY,
      report: (report) => {
        const failed = report.kind === "settled" ? report.failed[0] : undefined;
        if (failed) throw new Error(failed.problem.message);
      },
    });
    for (const write of SAMPLE_TERMINALS.flatMap(writesOf)) {
      recorder.push([write]);
      // Several groups, so that a log that is cut off ends within a recording.
      if (write.ticket % GROUP_WRITES === 0) recorder.commit();
    }
    recorder.commit();
    for (const end of ["", "-wal"]) {
      if (existsSync(path + end)) copyFileSync(path + end, unfoldedPath + end);
    }
  }
  return {
    path,
    unfoldedPath,
    [Symbol.dispose]: () => own[Symbol.dispose](),
  };
}

function writesOf({ uid, last, trimmed, sealed }: SampleTerminal): Write[] {
  const terminalId = idOf(uid);
  const sequences = Array.from({ length: last }, (_, index) => index + 1);
  return [
    { kind: "terminal", ticket: 0, row: terminalOf(uid) },
    ...sequences.map((sequence) => entryWriteOf(uid, sequence, { ticket: sequence })),
    ...(sealed ? [{ kind: "seal", ticket: 0, terminalId, at: 1 } as const] : []),
    ...(trimmed > 0
      ? [{ kind: "trim", ticket: 0, terminalId, throughSequence: trimmed } as const]
      : []),
  ];
}
