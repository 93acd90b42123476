// Measures whole terminals in a process of its own, so that CPU, threads and memory are its own. Prints one JSON line.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TerminalInput } from "@nacre/contracts";
import { createHost, type Host, LOCAL_CALLER, type Terminal } from "@nacre/host";
import { programLaunch } from "../packages/host/src/pty/contract/pty-fixtures.ts";
import { linuxPty } from "../packages/host/src/pty/linux-pty.ts";
import { InteractiveBoost } from "../packages/host/src/pty/autogroup-priority.ts";
import { viewTtyd } from "./ttyd-viewer.ts";

const [measure = "", argument = "", file = ""] = process.argv.slice(2);
const directory = mkdtempSync(join(tmpdir(), "nacre-bench-"));
const by = LOCAL_CALLER;

const program = (command: string, args: string[]): TerminalInput => ({
  owner: { entityName: "Bench", entityId: "1" },
  workingDirectory: "/",
  command,
  args,
});

/** Each line end becomes two bytes on a cooked terminal. */
function shownBytes(path: string): number {
  const text = readFileSync(path);
  let lines = 0;
  for (let at = text.indexOf(10); at >= 0; at = text.indexOf(10, at + 1)) lines++;
  return text.byteLength + lines;
}

interface Viewer {
  readonly socket: Socket;
  /** Resolves when it has everything. */
  readonly done: Promise<unknown>;
}

/** A viewer in another process, connected like a client. */
async function startViewer(wanted: number): Promise<Viewer> {
  const path = join(directory, `viewer-${Math.random()}`);
  const server = createServer().listen(path);
  await once(server, "listening");
  const viewer = join(import.meta.dirname, "terminal-viewer.ts");
  const child = spawn(process.execPath, [viewer, path, String(wanted)], { stdio: "inherit" });
  const [socket] = (await once(server, "connection")) as [Socket];
  server.close();
  return { socket, done: Promise.all([once(socket, "data"), once(child, "exit")]) };
}

async function send(socket: Socket, bytes: Uint8Array): Promise<void> {
  if (!socket.write(bytes)) await once(socket, "drain");
}

async function follow(terminal: Terminal, viewer: Viewer | undefined): Promise<void> {
  // The file alone is counted, not the header that the shell's `read` echoes.
  for await (const message of terminal.subscribe({ after: 0, whenBehind: "replay" })) {
    if (viewer && message.kind === "entry" && message.view) await send(viewer.socket, message.view);
  }
}

/** A host runs for days: the first bytes and keys only compile the code. */
const WARM_UP_BYTES = 20_000_000;
const WARM_UP_KEYS = 100;

async function warmUp(host: Host): Promise<void> {
  const terminal = await host.createTerminal(
    program("/usr/bin/head", ["-c", String(WARM_UP_BYTES), file]),
  );
  for await (const message of terminal.subscribe({ after: 0, whenBehind: "replay" })) {
    if (message.kind === "snapshot") break;
  }
  await terminal.reader.readScreen("text");
  await host.registry.dispose(terminal.id);
  await host.recordings.whenIndexed();
  globalThis.gc?.();
}

async function throughput(host: Host, count: number) {
  await warmUp(host);
  const shown = shownBytes(file);
  const line = `stty -echo; read go; cat '${file}'`;
  const terminals = await Promise.all(
    Array.from({ length: count }, () => host.createTerminal(program("/bin/sh", ["-c", line]))),
  );
  // Ten more processes would be measured instead of ten terminals.
  const viewer = count === 1 ? await startViewer(shown) : undefined;
  const from = performance.now();
  const cpuBefore = process.cpuUsage();
  const following = terminals.map((terminal) => follow(terminal, viewer));
  await Promise.all(terminals.map((terminal) => terminal.write("\n", { by })));
  await (viewer ? viewer.done : Promise.all(following));
  const seconds = (performance.now() - from) / 1000;
  const { user, system } = process.cpuUsage(cpuBefore);
  const drawnFrom = performance.now();
  await Promise.all(terminals.map((terminal) => terminal.reader.readScreen("text")));
  return {
    bytes: statSync(file).size * count,
    seconds,
    cpuSeconds: (user + system) / 1e6,
    screenBehindMs: performance.now() - drawnFrom,
  };
}

/** What hosts do that neither record nor draw: bytes from the PTY to the socket. */
async function naive() {
  const viewer = await startViewer(shownBytes(file));
  const from = performance.now();
  const cpuBefore = process.cpuUsage();
  await using pty = await linuxPty.spawn(programLaunch("/bin/cat", file));
  for (let chunk = await pty.read(); chunk; chunk = await pty.read()) {
    await send(viewer.socket, chunk.bytes);
  }
  await viewer.done;
  const seconds = (performance.now() - from) / 1000;
  const { user, system } = process.cpuUsage(cpuBefore);
  return { bytes: statSync(file).size, seconds, cpuSeconds: (user + system) / 1e6 };
}

/** tmux with a person attached to it: draws and shows, keeps no recording. */
async function tmux() {
  const from = performance.now();
  await using pty = await linuxPty.spawn(
    programLaunch(
      "/usr/bin/tmux",
      "-L",
      `nacre-bench-${process.pid}`,
      "-f",
      "/dev/null",
      "new-session",
      `cat '${file}'`,
    ),
  );
  for (let chunk = await pty.read(); chunk; chunk = await pty.read(chunk.bytes));
  return { bytes: statSync(file).size, seconds: (performance.now() - from) / 1000 };
}

/** ttyd with one viewer: shows, neither draws nor records. */
async function ttyd() {
  // Started by itself, a program's last output is lost when it ends.
  const line = `cat '${file}'; sleep 60`;
  const server = spawn("ttyd", ["-p", argument, "-i", "lo", "-W", "sh", "-c", line], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  try {
    for await (const said of server.stderr) if (String(said).includes(argument)) break;
    const seconds = await viewTtyd(Number(argument), shownBytes(file));
    return { bytes: statSync(file).size, seconds };
  } finally {
    server.kill();
  }
}

function summary(times: number[]) {
  times.sort((a, b) => a - b);
  const at = (share: number) => times[Math.floor(times.length * share)] ?? Number.NaN;
  return { p50Ms: at(0.5), p99Ms: at(0.99), maxMs: times.at(-1) ?? Number.NaN };
}

/** Presses a key and waits for its echo as a viewer sees it, while others flood. */
async function echo(host: Host, flooding: number, keys: number) {
  const floods = await Promise.all(
    Array.from({ length: flooding }, () => host.createTerminal(program("/usr/bin/yes", []))),
  );
  const terminal = await host.createTerminal(program("/bin/cat", []));
  const feed = terminal.subscribe({ after: 0, whenBehind: "replay" });
  const nextOutput = async (): Promise<void> => {
    for (;;) {
      const { value } = await feed.next();
      if (!value || (value.kind === "entry" && value.view)) return;
    }
  };
  const times: number[] = [];
  for (let key = -WARM_UP_KEYS; key < keys; key++) {
    const from = performance.now();
    await Promise.all([terminal.write("x", { by }), nextOutput()]);
    if (key >= 0) times.push(performance.now() - from);
    // The kernel takes 4,095 bytes of a line.
    if (key % 1000 === 999) await Promise.all([terminal.write("\n", { by }), nextOutput()]);
  }
  await Promise.all([...floods, terminal].map(({ id }) => host.registry.dispose(id)));
  return summary(times);
}

async function firstPrompt(host: Host, rounds: number) {
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const from = performance.now();
    const terminal = await host.createTerminal({ ...program("", []), ...shell });
    await terminal.wait({ until: [{ kind: "prompt" }], timeoutMs: 10_000 });
    times.push(performance.now() - from);
    await host.registry.dispose(terminal.id);
  }
  return summary(times);
}

/** A person's own start-up files are not ours to measure. */
const shell = { command: undefined, args: undefined, shell: "bash", env: { HOME: directory } };

async function runCommands(host: Host, rounds: number) {
  const terminal = await host.createTerminal({ ...program("", []), ...shell });
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const from = performance.now();
    await terminal.runCommand({ commandLine: "true" }, by);
    times.push(performance.now() - from);
  }
  return summary(times);
}

const rssMb = (): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync("/proc/self/status", "utf8"))?.[1]) / 1024;

/** What terminals cost that show a prompt and are left alone until their screens are parked. */
async function idle(host: Host, count: number) {
  globalThis.gc?.();
  const before = rssMb();
  const from = performance.now();
  const terminals: Terminal[] = [];
  for (let made = 0; made < count; made += 20) {
    const some = Array.from({ length: Math.min(20, count - made) }, () =>
      host.createTerminal({ ...program("", []), ...shell }),
    );
    terminals.push(...(await Promise.all(some)));
  }
  await Promise.all(
    terminals.map((terminal) => terminal.wait({ until: [{ kind: "prompt" }], timeoutMs: 120_000 })),
  );
  const createSeconds = (performance.now() - from) / 1000;
  await new Promise((resolve) => setTimeout(resolve, 8000));
  globalThis.gc?.();
  const cpuBefore = process.cpuUsage();
  await new Promise((resolve) => setTimeout(resolve, 5000));
  const { user, system } = process.cpuUsage(cpuBefore);
  const totalMb = rssMb();
  return {
    totalMb,
    kbEach: ((totalMb - before) * 1024) / count,
    threads: readdirSync("/proc/self/task").length,
    createSeconds,
    idleCpu: (user + system) / 5e6,
  };
}

async function run(): Promise<unknown> {
  if (measure === "naive") return await naive();
  if (measure === "tmux") return await tmux();
  if (measure === "ttyd") return await ttyd();
  using precedence = new InteractiveBoost();
  await using host = await createHost({ directory, handleTyped: precedence.noteTyping });
  switch (measure) {
    case "throughput":
      return await throughput(host, Number(argument));
    case "echo":
      return await echo(host, Number(argument), Number(file || "2000"));
    case "prompt":
      return await firstPrompt(host, Number(argument));
    case "commands":
      return await runCommands(host, Number(argument));
    case "idle":
      return await idle(host, Number(argument));
  }
  throw new Error(`no measure ${measure}`);
}

try {
  console.log(JSON.stringify(await run()));
} finally {
  rmSync(directory, { recursive: true, force: true });
}
