// An agent whose disk is full when it asks, and has room when it asks again; says how often what it asked for was done.
import { existsSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { serveControlDirectory } from "../../packages/host/src/transports/files/serve-control-directory.ts";
import type { ControlOperations } from "../../packages/host/src/transports/files/session-operations.ts";
import { FileAgent } from "../support/file-agent.ts";
import { SmallDisk } from "../support/small-disk.ts";
import { AGENT } from "./served-directory.ts";

using disk = new SmallDisk(1024 * 1024);
const directory = join(disk.directory, "terminal");
const agent = new FileAgent(directory);
/** That it cannot be written down, nor the result, the status, the answer, and that it is over. */
const FAILURES = 5;

const full = Promise.withResolvers<unknown>();
let failures = 0;
let count = 0;
const call = (async (name) => {
  if (name === "execCommand") count += 1;
  const ran = { terminalId: "terminal:a", exitCode: 0, timedOut: false, durationMs: 0 };
  return { ...ran, output: { totalBytes: 0 }, data: "", position: { after: 1 }, ended: true };
}) as ControlOperations["call"];
await using _service = await serveControlDirectory({
  directory,
  caller: AGENT,
  operations: { call },
  handleProblem: (error) => {
    failures += 1;
    if (failures === FAILURES) full.resolve(error);
  },
});
const text = JSON.stringify({ request_id: "full", command: "x" });
const draft = join(disk.directory, "draft");
writeFileSync(draft, text);
disk.fill();
renameSync(draft, agent.path("control", "exec.json"));
const problem = String(await full.promise);
const whileFull = count;
disk.free();
while (!existsSync(agent.path("requests", "full.json"))) {
  await agent.put("exec", text);
  // Whoever finds no answer writes the same request again.
  await pause(50);
}
const { ok } = await agent.answer("full");
process.stdout.write(`${JSON.stringify({ problem, whileFull, ok, count })}\n`);
