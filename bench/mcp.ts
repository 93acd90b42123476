// What a tool costs beside the command that it runs: the same command by itself, by the operation, and by the tool over each wire, in turns.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { connectLocal } from "@nacre/client/node";
import { DaemonProcess } from "../test/support/daemon-process.ts";
import { environmentOf, makeHome } from "../test/support/nacre-program.ts";
import { ToolUser } from "../test/support/tool-user.ts";

const ROUNDS = 60;
const WARM_UP = 10;

/** A command that takes next to no time of its own. */
const COMMAND = "true";

/** What the tool may add to the command's own time, p50. */
const TARGET_MS = 30;

const at = (values: readonly number[], share: number): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length * share)] ?? Number.NaN;

/** Runs all measurements and prints them with the target. */
export async function benchMcp(): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const { path: home } = stack.use(makeHome());
  const daemon = stack.use(await DaemonProcess.start({ home, env: environmentOf(home) }));
  const client = stack.use(await connectLocal({ home }));
  const stdio = stack.use((await ToolUser.overStdio(home)).user);
  const http = stack.use(await ToolUser.overHttp(daemon.url, daemon.token));
  const ways: Readonly<Record<string, () => Promise<unknown>>> = {
    "by itself": () => once(spawn("/bin/bash", ["-c", COMMAND], { stdio: "ignore" }), "exit"),
    "execCommand, unix socket": () => client.execCommand({ commandLine: COMMAND }),
    "terminal_exec, stdio": () => stdio.get("terminal_exec", { command: COMMAND }),
    "terminal_exec, http": () => http.get("terminal_exec", { command: COMMAND }),
  };
  const times = new Map(Object.keys(ways).map((way) => [way, [] as number[]]));
  for (let round = -WARM_UP; round < ROUNDS; round++) {
    for (const [way, run] of Object.entries(ways)) {
      const from = performance.now();
      await run();
      if (round >= 0) times.get(way)?.push(performance.now() - from);
    }
  }
  report(times);
}

function report(times: ReadonlyMap<string, readonly number[]>): void {
  const alone = at(times.get("by itself") ?? [], 0.5);
  console.log(`\`${COMMAND}\` ${ROUNDS} times each way, in turns`);
  for (const [way, each] of times) {
    const [p50, p99] = [at(each, 0.5), at(each, 0.99)];
    const added = way === "by itself" ? "" : `, ${(p50 - alone).toFixed(1)} ms more than by itself`;
    console.log(`${way.padEnd(26)} p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms${added}`);
  }
  for (const way of ["terminal_exec, stdio", "terminal_exec, http"]) {
    const added = at(times.get(way) ?? [], 0.5) - alone;
    const verdict = added <= TARGET_MS ? "met" : "missed";
    console.log(`${way}: ${added.toFixed(1)} ms added, p50 (target ≤ ${TARGET_MS} ms: ${verdict})`);
  }
}
