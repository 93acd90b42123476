// Ends migrations at every statement and at single system calls: what is left is the old version or the new one, with all of its rows.
import assert from "node:assert/strict";
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { openDatabase } from "../../packages/host/src/store/sqlite-database.ts";
import { ownDirectory } from "../support/own-directory.ts";
import { startProgram } from "../support/start-program.ts";
import { countCalls, databaseFiles, FILE_CALLS, straceArguments } from "../support/strace.ts";
import { dump, makeOld, migrateToNew, STATEMENT_POINTS } from "./sample-migrations.ts";

/** What a run is made of. */
export interface MigrationRun {
  /** The victim, ready to be started. */
  readonly program: string;
  /** At most so many system calls are tried of each kind, evenly spread. */
  readonly callsOfKind: number;
  readonly progress: (done: number, of: number) => void;
}

/** What the kills showed. */
export interface MigrationTally {
  failedStatements: number;
  killedStatements: number;
  killedCalls: number;
  /** How many of the killed were found old, the others new. */
  old: number;
}

/** Ends migrations wherever they can end; throws when something else than old or new is left. */
export async function killMigrations(run: MigrationRun): Promise<MigrationTally> {
  using directory = ownDirectory();
  return await new MigrationKills(directory.path, run).run();
}

class MigrationKills {
  readonly #run: MigrationRun;
  readonly #directory: string;
  readonly #oldPath: string;
  readonly #old: string;
  readonly #new: string;
  readonly #tally: MigrationTally = {
    failedStatements: 0,
    killedStatements: 0,
    killedCalls: 0,
    old: 0,
  };
  #count = 0;

  constructor(directory: string, run: MigrationRun) {
    this.#run = run;
    this.#directory = directory;
    this.#oldPath = join(directory, "old.db");
    makeOld(this.#oldPath);
    this.#old = this.#look(this.#copy(), () => {});
    this.#new = this.#look(this.#copy(), (database) => migrateToNew(database, () => {}));
  }

  async run(): Promise<MigrationTally> {
    for (let point = 1; point <= STATEMENT_POINTS; point++) {
      this.#failAt(point);
      await this.#killAt(point);
      this.#run.progress(point, STATEMENT_POINTS);
    }
    const log = join(this.#directory, "log");
    const counted = this.#copy();
    await this.#start(
      counted,
      straceArguments({ files: databaseFiles(counted), calls: FILE_CALLS, log }),
    );
    for (const [call, count] of countCalls(log)) {
      const step = Math.max(1, count / this.#run.callsOfKind);
      for (let number = 1; number <= count; number += step) {
        const path = this.#copy();
        const inject = `${call}:signal=SIGKILL:when=${Math.floor(number)}`;
        await this.#start(
          path,
          straceArguments({ files: databaseFiles(path), calls: [call], inject }),
        );
        this.#judge(path, `${call} number ${Math.floor(number)}`);
        this.#tally.killedCalls++;
      }
    }
    return this.#tally;
  }

  /** A statement that fails takes everything back, and the next attempt works. */
  #failAt(point: number): void {
    const database = openDatabase(this.#copy());
    const fail = (reached: number): void => {
      if (reached === point) throw new Error("this statement fails");
    };
    assert.throws(() => migrateToNew(database, fail), /this statement fails/);
    assert.equal(dump(database), this.#old, `statement ${point} failed and left something else`);
    migrateToNew(database, () => {});
    assert.equal(dump(database), this.#new, `the attempt after statement ${point} failed`);
    database.close();
    this.#tally.failedStatements++;
  }

  async #killAt(point: number): Promise<void> {
    const path = this.#copy();
    const { signal, errors } = await startProgram(this.#run.program, [path, String(point)]).ended;
    assert.equal(signal, "SIGKILL", errors);
    this.#judge(path, `statement ${point}`);
    this.#tally.killedStatements++;
  }

  async #start(path: string, trace: readonly string[]): Promise<void> {
    const before = ["strace", ...trace];
    const { signal, code, errors } = await startProgram(this.#run.program, [path], { before })
      .ended;
    assert.ok(signal === "SIGKILL" || code === 0, errors);
  }

  #judge(path: string, where: string): void {
    const left = this.#look(path, () => {});
    assert.ok(
      left === this.#old || left === this.#new,
      `killed at ${where}: neither old nor new is left`,
    );
    if (left === this.#old) this.#tally.old++;
    const after = this.#look(path, (database) => migrateToNew(database, () => {}));
    assert.equal(after, this.#new, `killed at ${where}: the next start does not finish it`);
  }

  #look(path: string, act: (database: ReturnType<typeof openDatabase>) => void): string {
    const database = openDatabase(path);
    act(database);
    const content = dump(database);
    database.close();
    return content;
  }

  #copy(): string {
    const path = join(this.#directory, `${++this.#count}.db`);
    copyFileSync(this.#oldPath, path);
    return path;
  }
}
