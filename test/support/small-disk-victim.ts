// A daemon whose state is on a disk of its own that others cannot see; says its address, and fills and frees the disk when it is told to.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { DaemonProcess } from "./daemon-process.ts";
import { SmallDisk } from "./small-disk.ts";

const MIB = 1024 * 1024;
const DISK_BYTES = 48 * MIB;
const FLOOR_BYTES = 8 * MIB;

const [runtime = ""] = process.argv.slice(2);
using disk = new SmallDisk(DISK_BYTES);
const home = join(disk.directory, "nacre");
mkdirSync(home, { mode: 0o700 });
await using daemon = await DaemonProcess.start({
  home,
  env: {
    // What finds the daemon is where others see it.
    NACRE_HOME: "",
    XDG_STATE_HOME: disk.directory,
    XDG_CONFIG_HOME: disk.directory,
    XDG_RUNTIME_DIR: runtime,
    NACRE_FLOOR_BYTES: String(FLOOR_BYTES),
  },
});
const { url, token } = daemon;
process.stdout.write(`${JSON.stringify({ url, token })}\n`);
for await (const line of createInterface({ input: process.stdin })) {
  if (line === "fill") disk.fill(FLOOR_BYTES - MIB);
  else disk.free();
}
