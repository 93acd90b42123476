import { once } from "node:events";
import { mkdtempSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AuditPage } from "@nacre/contracts";
import { expect, test } from "vitest";
import { defaultConfig } from "../config/config.ts";
import { findDirectories } from "../config/directories.ts";
import type { Daemon } from "./daemon.ts";
import { startDaemon } from "./main.ts";

/** Asks a daemon with its own token, or another. */
async function ask(daemon: Daemon, path: string, token?: string): Promise<Response> {
  const own = new URL(daemon.urlWithToken).hash.slice("#token=".length);
  const headers = { authorization: `Bearer ${token ?? own}` };
  return await fetch(new URL(path, daemon.url), { headers });
}

test(
  "who came, who was refused and who was cut off by the end is known to the next daemon",
  { timeout: 20_000 },
  async () => {
    const home = mkdtempSync(join(tmpdir(), "nacre-daemon-"));
    const lines: string[] = [];
    const start = () =>
      startDaemon({
        config: { ...defaultConfig(), port: 0 },
        directories: findDirectories({ NACRE_HOME: home }, "/nowhere"),
        version: "0.0.0-test",
        log: (line) => void lines.push(line),
      });
    {
      await using daemon = await start();
      expect((await ask(daemon, "/api/host", "nacre_wrong")).status).toBe(401);
      const socket = connect(daemon.socketPath).on("error", () => undefined);
      socket.write('{"type":"request","id":"1","method":"ping"}\n');
      await once(socket, "data");
      await daemon.stop();
    }
    await using next = await start();
    const page: AuditPage = await (await ask(next, "/api/audit")).json();
    expect(page.records.map(({ action, via, outcome }) => [action, via, outcome])).toEqual([
      ["refuse", "http", "unauthenticated"],
      ["connect", "ipc", "ok"],
      ["disconnect", "ipc", "ok"],
    ]);
    expect(JSON.stringify(page)).not.toContain("nacre_wrong");
    expect(lines.filter((line) => line.includes('"error"'))).toEqual([]);
  },
);
