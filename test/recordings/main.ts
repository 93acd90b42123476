// Makes the recordings of this folder anew: `node --conditions=nacre-source test/recordings/main.ts [name…]`, as root on Linux.
import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { choosePtyDriver, type Pty } from "@nacre/host";
import { prepareIntegration } from "../../packages/host/src/shell/integration.ts";
import { type Scenario, SCENARIOS } from "./scenarios.ts";

/** A neutral place: paths are part of what programs write. */
const HOME = "/tmp/x";
const SIZE = { cols: 80, rows: 24 };

/** A program that wrote nothing for this long waits for a key. */
const QUIET_MS = 250;

/** Programs that never are quiet get the next key all the same. */
const MAX_WAIT_MS = 900;

/** So that neither the name of this machine nor its processes are in a recording. */
const APART = ["--pid", "--uts", "--mount", "--fork", "--mount-proc", "/bin/sh", "-c"];
const RENAMED = 'hostname box; exec "$@"';

const ENVIRONMENT = {
  PATH: "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin",
  TERM: "xterm-256color",
  LANG: "C.UTF-8",
  HOME,
  PS1: "$ ",
};

class Recorder {
  readonly #pty: Pty;
  readonly #chunks: Uint8Array[] = [];
  #heardAt = performance.now();

  constructor(pty: Pty) {
    this.#pty = pty;
  }

  async record(): Promise<Buffer> {
    for (let chunk = await this.#pty.read(); chunk; chunk = await this.#pty.read()) {
      this.#chunks.push(chunk.bytes);
      this.#heardAt = performance.now();
    }
    return Buffer.concat(this.#chunks);
  }

  async type(keys: readonly string[]): Promise<void> {
    for (const key of keys) {
      const until = performance.now() + MAX_WAIT_MS;
      await wait(QUIET_MS / 5);
      while (performance.now() - this.#heardAt < QUIET_MS && performance.now() < until)
        await wait(10);
      await this.#pty.write(Buffer.from(key));
    }
  }
}

async function record(scenario: Scenario): Promise<void> {
  const { name, prepare, command, keys, isIntegrated = false } = scenario;
  rmSync(HOME, { recursive: true, force: true });
  mkdirSync(HOME);
  if (prepare !== undefined) {
    execFileSync("/bin/bash", ["-c", prepare], { cwd: HOME, env: ENVIRONMENT });
  }
  const [file = "", ...args] = command;
  const integration = isIntegrated
    ? await prepareIntegration({ shell: file, args, env: ENVIRONMENT, directory: "/tmp/x.code" })
    : undefined;
  const driver = await choosePtyDriver();
  await using pty = await driver.spawn({
    file: "/usr/bin/unshare",
    args: [...APART, RENAMED, "sh", file, ...(integration?.args ?? args)],
    env: { ...ENVIRONMENT, ...integration?.env },
    cwd: HOME,
    allowedRoots: [],
    size: SIZE,
  });
  const recorder = new Recorder(pty);
  const [bytes] = await Promise.all([recorder.record(), recorder.type(keys)]);
  writeFileSync(join(import.meta.dirname, `${name}.raw`), bytes);
  if (integration) {
    writeFileSync(join(import.meta.dirname, `${name}.codes`), `${integration.nonces.secret}\n`);
    await integration.dispose();
  }
  console.log(`${name}: ${bytes.length} bytes`);
}

const wanted = process.argv.slice(2);
for (const scenario of SCENARIOS) {
  if (wanted.length === 0 || wanted.includes(scenario.name)) await record(scenario);
}
rmSync(HOME, { recursive: true, force: true });
rmSync("/tmp/x.code", { recursive: true, force: true });
