import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { createHost, LOCAL_CALLER, type Terminal } from "@nacre/host";
import { ownDirectory } from "../support/own-directory.ts";
import { seededRandom } from "../support/random.ts";
import { type Target, type Run, times } from "../support/target.ts";
import {
  commandLines,
  EXACT_SHELLS,
  type ExactShell,
  type ExpectedCommand,
} from "./command-lines.ts";

/** How many commands a full run has for each shell. */
const COMMANDS = 1000;

/** Fails with the first command that is not exactly what it must be. */
async function check(terminal: Terminal, expected: ExpectedCommand): Promise<void> {
  const { outcome, command, output } = await terminal.runCommand(
    { commandLine: expected.line, timeoutMs: 20_000 },
    LOCAL_CALLER,
  );
  const got = {
    outcome,
    line: command?.commandLine,
    exitCode: command?.exitCode,
    output: output.text,
    quality: command?.quality,
  };
  const wanted = { outcome: "ended", ...expected, quality: "exact" };
  if (JSON.stringify(sorted(got)) === JSON.stringify(sorted(wanted))) return;
  throw new Error(`${JSON.stringify(got)} instead of ${JSON.stringify(wanted)}`);
}

const sorted = (value: object): [string, unknown][] =>
  Object.entries(value).toSorted(([one], [other]) => one.localeCompare(other));

async function measure(shell: ExactShell, { scale, seed, progress }: Run): Promise<string> {
  using own = ownDirectory();
  const home = own.path;
  // Without this directory fish fills it in the background, for as long as the test takes.
  await mkdir(join(home, ".local/share/fish/generated_completions"), { recursive: true });
  await using host = await createHost();
  const terminal = await host.createTerminal({
    owner: { entityName: "Test", entityId: "1" },
    workingDirectory: "/tmp",
    shell,
    env: { HOME: home },
  });
  const all = commandLines(shell, times(COMMANDS, scale), seededRandom(seed));
  const startedAt = performance.now();
  for (const [index, expected] of all.entries()) {
    await check(terminal, expected);
    progress(index + 1, all.length);
  }
  const each = (performance.now() - startedAt) / all.length;
  const listed = await terminal.commands.list({ limit: all.length + 1 });
  if (listed.length !== all.length) {
    throw new Error(`${listed.length} commands are listed instead of ${all.length}`);
  }
  await host.registry.dispose(terminal.id);
  return `${all.length} of ${all.length} lines, outputs and exit codes exact, ${each.toFixed(1)} ms each`;
}

/** The measured promises about commands. */
export const shellTargets: readonly Target[] = EXACT_SHELLS.map((shell) => ({
  id: shell,
  name: `commands of ${shell}`,
  requirement: "every line, output and exit code exact",
  measure: (run) => measure(shell, run),
}));
