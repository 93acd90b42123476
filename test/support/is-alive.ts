import { spawnSync } from "node:child_process";

/** Whether a process of this number is there and does not only wait for its parent to notice that it ended. */
export function isAlive(pid: number): boolean {
  const { stdout } = spawnSync("ps", ["-o", "stat=", "-p", String(pid)], { encoding: "utf8" });
  return stdout.trim() !== "" && !stdout.trim().startsWith("Z");
}
