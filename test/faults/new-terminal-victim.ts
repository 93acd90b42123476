// A host whose disk becomes full after the program of a new terminal was started and before its header is recorded; says what is left of it.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { choosePtyDriver, createHost } from "@nacre/host";
import { isAlive } from "../support/is-alive.ts";
import { SmallDisk } from "../support/small-disk.ts";
import { shLine } from "../support/terminal-input.ts";
import { untilText } from "../support/terminal-output.ts";
import { waitUntil } from "../support/wait-until.ts";

const MIB = 1024 * 1024;
const DISK_BYTES = 32 * MIB;
const FLOOR_BYTES = 8 * MIB;

using disk = new SmallDisk(DISK_BYTES);
const driver = await choosePtyDriver();
const pidFile = join(disk.directory, "pid");
const readPid = (): number => (existsSync(pidFile) ? Number(readFileSync(pidFile, "utf8")) : 0);
let isFilled = false;
await using host = await createHost({
  directory: join(disk.directory, "home"),
  floorBytes: FLOOR_BYTES,
  driver: {
    name: driver.name,
    spawn: async (launch) => {
      const pty = await driver.spawn(launch);
      if (!isFilled) return pty;
      await waitUntil(() => readPid() > 0);
      disk.fill(FLOOR_BYTES - MIB);
      await waitUntil(() => host.recordings.state.state === "degraded");
      return pty;
    },
    list: () => driver.list(),
    adopt: (id, fromOffset) => driver.adopt(id, fromOffset),
  },
});

// Its output is what the recorder notices the full disk by.
const ticking = await host.createTerminal(shLine("while :; do echo tick; sleep 0.05; done"));
await untilText(ticking, "tick");
isFilled = true;
const refused = await host.createTerminal(shLine(`echo $$ > ${pidFile}; exec sleep 1000`)).then(
  () => undefined,
  (error: unknown) => error,
);
const rows = async () => (await host.recordings.listTerminals({ limit: 10 })).map(({ id }) => id);
const meanwhile = { rows: await rows(), listed: host.registry.list().length };
const isRunning = isAlive(readPid());
isFilled = false;
disk.free();
await waitUntil(() => host.recordings.state.state === "ok");
await using next = await host.createTerminal(shLine("echo next; cat"));
await untilText(next, "next");
process.stdout.write(
  JSON.stringify({
    refused: refused instanceof Error && "code" in refused ? refused.code : String(refused),
    suggestion: refused instanceof Error && "suggestion" in refused && refused.suggestion,
    isRunning,
    meanwhile: meanwhile.rows.length === 1 && meanwhile.listed === 1,
    after: (await rows()).length,
  }),
);
