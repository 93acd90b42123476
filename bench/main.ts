// `npm run bench -- <name>`: benchmarks that compare in one run and print ratios.
import { benchAhp } from "./ahp.ts";
import { benchCli } from "./cli.ts";
import { benchFollowers } from "./followers.ts";
import { benchKeeper } from "./keeper.ts";
import { benchMcp } from "./mcp.ts";
import { benchPage } from "./page.ts";
import { benchPty } from "./pty.ts";
import { benchRecording } from "./recording.ts";
import { benchTerminal } from "./terminal.ts";
import { benchThroughput } from "./throughput.ts";

const BENCHMARKS: Record<string, () => void | Promise<void>> = {
  ahp: benchAhp,
  cli: benchCli,
  followers: benchFollowers,
  keeper: benchKeeper,
  mcp: benchMcp,
  page: benchPage,
  pty: benchPty,
  recording: benchRecording,
  terminal: benchTerminal,
  throughput: benchThroughput,
};

const names = process.argv.slice(2);
for (const name of names.length > 0 ? names : Object.keys(BENCHMARKS)) {
  const run = BENCHMARKS[name];
  if (!run) {
    console.error(`no benchmark ${name}; one of ${Object.keys(BENCHMARKS).join(", ")}`);
    process.exit(2);
  }
  await run();
}
