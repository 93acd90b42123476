import type { DatabaseSync } from "node:sqlite";
import { NacreError } from "@nacre/contracts";
import { openDatabase, readVersion } from "../../store/sqlite-database.ts";
import { IndexReader } from "./index-reader.ts";
import { fileIdentity } from "./index-store.ts";

/** The search index in a file, to read: always the file that is there now, since it may be made anew at any time. */
export class IndexFile {
  readonly #path: string;
  #opened:
    | {
        readonly file: string | undefined;
        readonly database: DatabaseSync;
        readonly reader: IndexReader;
      }
    | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  reader(): IndexReader {
    const file = fileIdentity(this.#path);
    if (file !== undefined && this.#opened?.file === file) return this.#opened.reader;
    this.#opened?.database.close();
    this.#opened = undefined;
    const database = openDatabase(this.#path, { readOnly: true });
    try {
      // A file that has just been made has no tables yet.
      if (readVersion(database) === 0) throw beingRebuiltError();
      const reader = new IndexReader(database);
      this.#opened = { file, database, reader };
      return reader;
    } catch (error) {
      database.close();
      throw error;
    }
  }
}

const beingRebuiltError = (): NacreError =>
  new NacreError("unavailable", "the search index is being made anew", {
    suggestion: "Try again in a moment.",
  });
