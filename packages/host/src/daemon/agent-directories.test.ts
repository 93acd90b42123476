import {
  existsSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { watch } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { defaultConfig } from "../config/config.ts";
import { findDirectories } from "../config/directories.ts";
import { startDaemon } from "./main.ts";

test("each agent that the settings name has a directory of its own, and only its own terminals", async () => {
  const home = mkdtempSync(join(tmpdir(), "nacre-daemon-"));
  try {
    await using _daemon = await startDaemon({
      config: { ...defaultConfig(), port: 0, agentDirectories: ["ada", "bob"] },
      directories: findDirectories({ NACRE_HOME: home }, "/nowhere"),
      version: "0.0.0-test",
      log: () => {},
    });
    const ask = async (agent: string, request: object): Promise<Record<string, unknown>> => {
      const directory = join(home, "agents", agent, "terminal");
      expect(statSync(directory).mode & 0o777).toBe(0o700);
      const id = `r${Math.random().toString(36).slice(2)}`;
      const changes = watch(join(directory, "requests"))[Symbol.asyncIterator]();
      const first = changes.next();
      writeFileSync(join(directory, "draft"), JSON.stringify({ ...request, request_id: id }));
      renameSync(join(directory, "draft"), join(directory, "control/invoke.json"));
      const answer = join(directory, "requests", `${id}.json`);
      await first;
      while (!existsSync(answer)) await changes.next();
      await changes.return?.();
      return JSON.parse(readFileSync(answer, "utf8")) as Record<string, unknown>;
    };
    const ran = await ask("ada", { op: "exec", arguments: { command: "echo hello", cwd: "/tmp" } });
    expect(ran).toMatchObject({ ok: true, result: { text: "hello\n", exit_code: 0 } });
    const { terminal_id } = ran["result"] as { terminal_id: string };
    const read = { op: "read", arguments: { terminal_id } };
    expect(await ask("ada", read)).toMatchObject({ ok: true, result: { text: "hello\n" } });
    expect(await ask("bob", read)).toMatchObject({ ok: false, error: { code: "enoent" } });
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
});
