import { formatBytes, safeText } from "@nacre/client/ui";
import type { PruneRecordingsResult } from "@nacre/contracts";
import { NacreError } from "@nacre/contracts/error";
import type { Command } from "../command.ts";
import type { OptionValues } from "../option-values.ts";
import { Progress } from "../print.ts";
import { isConfirmed } from "../prompt.ts";
import { parseBytes } from "../sizes.ts";

export const pruneCommand: Command = {
  name: "prune",
  section: "recordings",
  summary: "Remove old recordings",
  description:
    "Terminals that ended go as a whole; those that run only lose their oldest entries. Says first what would go, and asks; programs say --yes or --dry-run.",
  options: [
    { name: "older", value: "TIME", description: "What is older, such as 30d" },
    {
      name: "max-size",
      value: "BYTES",
      description: "Keep at most so much of all together, such as 10G",
    },
    { name: "max-terminal-size", value: "BYTES", description: "Keep at most so much of each" },
    { name: "keep-last", value: "N", description: "Keep so many ended terminals, the last ones" },
    { name: "dry-run", description: "Only say what would be removed" },
    { name: "yes", short: "y", description: "Do not ask" },
  ],
  examples: [
    { line: "nacre prune --older 30d --dry-run", about: "what would go" },
    { line: "nacre prune --older 30d --max-size 10G --yes", about: "without asking" },
  ],

  async run({ call, options, isQuiet, isJson }) {
    const limits = limitsOf(options);
    using progress = new Progress(isQuiet);
    progress.say("looking");
    const isDry = options.has("dry-run");
    if (isDry || !options.has("yes")) {
      const plan = await call("pruneRecordings", { ...limits, dryRun: true });
      progress[Symbol.dispose]();
      if (isDry || plan.recordings === 0) return { result: plan, text: textOf(plan, isQuiet) };
      if (isJson || !(await isConfirmed(`${textOf(plan, true)} Remove that?`))) {
        throw new NacreError("invalid_argument", "prune: not confirmed, nothing was removed", {
          field: "yes",
          suggestion: "Confirm with --yes, or see with --dry-run what would be removed.",
        });
      }
    }
    progress.say("removing");
    const result = await call("pruneRecordings", limits);
    const failed = result.removed.filter(({ problem }) => problem !== undefined).length;
    return { result, text: textOf(result, isQuiet), exitCode: failed > 0 ? 1 : 0 };
  },
};

function limitsOf(options: OptionValues) {
  const older = options.durationMs("older");
  const [total, each] = [options.text("max-size"), options.text("max-terminal-size")];
  const keepLast = options.integer("keep-last");
  const limits = {
    ...(older === undefined ? {} : { maxAgeMs: older }),
    ...(total === undefined ? {} : { maxTotalBytes: parseBytes(total, "max-size") }),
    ...(each === undefined ? {} : { maxTerminalBytes: parseBytes(each, "max-terminal-size") }),
    ...(keepLast === undefined ? {} : { keepLast }),
  };
  if (Object.keys(limits).length > 0) return limits;
  throw new NacreError("invalid_argument", "prune: no rule given", {
    field: "older",
    suggestion: "Give --older, --max-size, --max-terminal-size or --keep-last.",
  });
}

function textOf(
  { dryRun, recordings, entries, bytes, removed }: PruneRecordingsResult,
  isQuiet: boolean,
): string {
  const verb = dryRun ? "would lose" : "lost";
  const sum = `${recordings} recordings ${verb} ${entries} entries, ${formatBytes(bytes)}.`;
  if (isQuiet) return sum;
  const lines = removed.map(
    ({ id, whole, reason, problem }) =>
      `${safeText(id)}  ${whole ? "all of it" : "its beginning"}  ${reason}${problem === undefined ? "" : `  failed: ${safeText(problem)}`}`,
  );
  return [...lines, sum].join("\n");
}
