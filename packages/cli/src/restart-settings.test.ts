import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type DaemonSettings, requireStartable, readSettings } from "./restart-settings.ts";

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "nacre-restart-"));
});
afterEach(() => rmSync(home, { recursive: true }));

test("a daemon whose directory was removed has a successor all the same", async () => {
  const cwd = join(home, "gone");
  mkdirSync(cwd);
  const daemon = spawn("/bin/sleep", ["600"], { cwd });
  await once(daemon, "spawn");
  const http = { url: "http://127.0.0.1:1/", host: "127.0.0.1", port: 1 };
  const found = { pid: daemon.pid ?? 0, endpoints: { socket: "", http } };
  try {
    expect(readSettings(found).cwd).toBe(cwd);
    rmSync(cwd, { recursive: true });
    expect(readSettings(found).cwd).toBe("/");
  } finally {
    daemon.kill("SIGKILL");
  }
});

const settingsWith = (more: Partial<DaemonSettings>): DaemonSettings => ({
  flags: ["--port", "0"],
  env: { NACRE_HOME: home },
  cwd: home,
  ...more,
});

test("settings that a daemon can start with are let through", async () => {
  const before = process.cwd();
  await requireStartable(settingsWith({}));
  expect(process.cwd()).toBe(before);
});

test.each<[what: string, settings: Partial<DaemonSettings>, message: string]>([
  ["an option that there is not", { flags: ["--prot", "0"] }, "there is no option --prot"],
  ["a certificate that is not there", { flags: ["--tls-cert=a", "--tls-key=b"] }, "the file a"],
  ["an address without encryption", { flags: ["--host", "0.0.0.0"] }, "0.0.0.0"],
])("%s is refused before anything is ended", async (_, settings, message) => {
  await expect(requireStartable(settingsWith(settings))).rejects.toThrow(message);
});

test("so are files that are no certificate and no key, found from where the daemon runs", async () => {
  for (const name of ["cert", "key"]) writeFileSync(join(home, name), "nonsense");
  const settings = settingsWith({ flags: ["--tls-cert", "cert", "--tls-key", "key"] });
  await expect(requireStartable(settings)).rejects.toThrow("cannot be used");
});

test("and a config file with a mistake", async () => {
  writeFileSync(join(home, "config.json"), '{"prot":1}', { mode: 0o600 });
  await expect(requireStartable(settingsWith({}))).rejects.toThrow("there is no setting prot");
});
