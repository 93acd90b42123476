import { MIGRATIONS } from "./migrations.ts";
import { migrate, openDatabase } from "./sqlite-database.ts";
import { SqliteStore } from "./sqlite-store.ts";

/** Keeps everything in memory, for hosts that shall leave nothing behind; it ends with its process. */
export class MemoryStore extends SqliteStore {
  override readonly name: string = "memory-store";

  constructor() {
    const database = openDatabase(":memory:");
    // There is no file in which removed bytes could be found, and overwriting them takes longer than removing them.
    database.exec("PRAGMA secure_delete = OFF");
    migrate(database, MIGRATIONS);
    super(database);
  }

  /** There is no file either: `VACUUM` would copy everything into a temporary one. */
  override scrub(): void {}

  override [Symbol.dispose](): void {
    // Whoever still reads may go on, and who opens it again finds what was there.
  }
}
