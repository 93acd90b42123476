// Edits sealed recordings at random, each edit undone before the next, and checks that each is found where it is.
import { DatabaseSync } from "node:sqlite";
import { type VerifyResult, verifyRecording } from "../../packages/host/src/recording/verify.ts";
import { SqliteReader } from "../../packages/host/src/store/sqlite-reader.ts";
import { idOf } from "../support/numbered-entries.ts";
import { seededRandom } from "../support/random.ts";
import { EditedRecording } from "./edited-recording.ts";
import { ANCHOR_EDITS, EDITS, LIMITS } from "./edits.ts";
import { compareWhole, readWhole } from "./read-whole.ts";
import { recordSample, SAMPLE_TERMINALS, type SampleTerminal } from "./sample-store.ts";

/** What a run of edits is made of. */
export interface EditRun {
  readonly trials: number;
  readonly seed: number;
  readonly progress: (done: number, of: number) => void;
}

/** What the edits showed. */
export interface EditTally {
  found: number;
  /** Changed the file, but nothing that can be read from it, such as a blank in a list of arguments. */
  withoutEffect: number;
  /** What was not found, or not where it was, by edit: how often, and an example. */
  readonly missed: Map<string, { count: number; example: string }>;
}

const EDITED = SAMPLE_TERMINALS.filter(({ sealed, last }) => sealed && last > 0);

/** Edits and verifies so often. */
export function tryEdits({ trials, seed, progress }: EditRun): EditTally {
  using sample = recordSample();
  const database = new DatabaseSync(sample.path, { enableForeignKeyConstraints: false });
  const random = seededRandom(seed);
  const draw = (below: number): number => Math.floor(random() * below);
  const tally: EditTally = { found: 0, withoutEffect: 0, missed: new Map() };
  const asRecorded = new Map(
    EDITED.map(({ uid }) => [uid, readWhole(new SqliteReader(database), uid)]),
  );
  for (let trial = 1; trial <= trials; trial++) {
    const terminal = EDITED[draw(EDITED.length)];
    if (!terminal) continue;
    const edits = Object.entries(terminal.trimmed > 0 ? { ...EDITS, ...ANCHOR_EDITS } : EDITS);
    const [name, edit] = edits[draw(edits.length)] ?? [];
    if (name === undefined || edit === undefined) continue;
    database.exec("BEGIN");
    const expected = edit(new EditedRecording(database, terminal), draw);
    const example = missedBy(database, terminal, expected);
    const before = asRecorded.get(terminal.uid);
    const reader = new SqliteReader(database);
    if (example === undefined) tally.found++;
    else if (before && compareWhole(reader, terminal.uid, before) === "same") tally.withoutEffect++;
    else {
      const missed = tally.missed.get(name) ?? { count: 0, example };
      tally.missed.set(name, { ...missed, count: missed.count + 1 });
    }
    database.exec("ROLLBACK");
    progress(trial, trials);
  }
  database.close();
  return tally;
}

/** What a verification says about edits that it cannot find, by edit. */
export function tryLimits(): Map<string, VerifyResult | undefined> {
  using sample = recordSample();
  const database = new DatabaseSync(sample.path, { enableForeignKeyConstraints: false });
  const verdicts = new Map<string, VerifyResult | undefined>();
  for (const [name, edit] of Object.entries(LIMITS)) {
    const [terminal] = EDITED;
    if (!terminal) continue;
    database.exec("BEGIN");
    edit(new EditedRecording(database, terminal), () => 0);
    verdicts.set(name, verdictOn(database, terminal));
    database.exec("ROLLBACK");
  }
  database.close();
  return verdicts;
}

function verdictOn(database: DatabaseSync, { uid }: SampleTerminal): VerifyResult | undefined {
  const steps = [...verifyRecording(new SqliteReader(database), idOf(uid))];
  return steps.find((step) => "ok" in step);
}

/** Says how a verification missed an edit; nothing when it named the entry that was expected. */
function missedBy(
  database: DatabaseSync,
  terminal: SampleTerminal,
  expected: number | undefined,
): string | undefined {
  const { uid } = terminal;
  let verdict: VerifyResult | undefined;
  try {
    verdict = verdictOn(database, terminal);
  } catch (error) {
    return `${uid}: verifying threw ${String(error)}`;
  }
  if (verdict?.ok !== false) return `${uid}: expected ${expected ?? "any entry"}, found nothing`;
  const { firstBadSequence } = verdict;
  if (expected === undefined || firstBadSequence === expected) return undefined;
  return `${uid}: expected entry ${expected}, found ${firstBadSequence}: ${verdict.reason}`;
}
