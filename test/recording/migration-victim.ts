// Migrates a database and ends in the middle of it: `migration-victim <file> [<point>]`.
import { openDatabase } from "../../packages/host/src/store/sqlite-database.ts";
import { migrateToNew } from "./sample-migrations.ts";

const [path = "", last = "0"] = process.argv.slice(2);
const database = openDatabase(path);
migrateToNew(database, (point) => {
  if (point === Number(last)) process.kill(process.pid, "SIGKILL");
});
database.close();
