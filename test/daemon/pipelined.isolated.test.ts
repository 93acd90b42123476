import { readFileSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { open, requestOf } from "../../packages/host/src/auth/testing/raw-http.ts";
import { DaemonProcess } from "../support/daemon-process.ts";
import { ownDirectory } from "../support/own-directory.ts";

const CONNECTIONS = 4;
const REQUESTS = 10_000;

/** What the requests of four connections may cost while they wait; each answer has half a megabyte. */
const MAX_GROWTH_BYTES = 64 * 1024 ** 2;

/** The most memory that a process had since this was asked before. */
function peakBytes(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  // Makes the kernel begin anew with what the process has now.
  writeFileSync(`/proc/${pid}/clear_refs`, "5");
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024;
}

test("R-2: 10,000 requests for a public document on connections that never read cost 64 MiB at most", async () => {
  using home = ownDirectory();
  await using daemon = await DaemonProcess.start({ home: home.path });
  const { byteLength } = await (await fetch(`${daemon.url}/openapi.json`)).arrayBuffer();
  expect(byteLength).toBeGreaterThan(100_000);
  const client = daemon.client();
  const refused = async (): Promise<number> => {
    const { records } = await client.listAudit({});
    return records.filter(({ outcome }) => outcome === "limit_reached").length;
  };
  expect(await refused()).toBe(0);
  peakBytes(daemon.pid);
  const before = daemon.residentBytes;
  const one = requestOf("GET /openapi.json", [`Host: 127.0.0.1:${daemon.port}`]);
  for (let count = 0; count < CONNECTIONS; count++) {
    const socket = await open({ port: daemon.port, host: "127.0.0.1" });
    socket.pause();
    socket.write(one.repeat(REQUESTS));
  }
  await expect.poll(refused, { timeout: 60_000 }).toBe(CONNECTIONS);
  expect(peakBytes(daemon.pid) - before).toBeLessThan(MAX_GROWTH_BYTES);
});
