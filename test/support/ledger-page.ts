import type { Target } from "./target.ts";
import type { LedgerLine } from "./ledger.ts";

type TargetFacts = Pick<Target, "id" | "name" | "requirement">;

/** The page about what was measured: of every target the newest full run, or that there was none. */
export function ledgerPage(
  suites: ReadonlyMap<string, readonly TargetFacts[]>,
  ledger: readonly LedgerLine[],
): string {
  const sections = [...suites].flatMap(([suite, targets]) => [
    "",
    `## \`npm run test:${suite}\``,
    "",
    "| Target | Required | Measured | n | Seed | Commit | Date | Machine |",
    "| --- | --- | --- | --- | --- | --- | --- | --- |",
    ...targets.map((target) => rowOf(target, newestOf(ledger, suite, target.id))),
  ]);
  return `${[
    "<!-- Generated from docs/reliability.jsonl by `npm run generate`; do not edit. -->",
    "",
    "# Reliability, measured",
    "",
    "What is promised of whole daemons, and what came of the newest full run of each target. A target that was missed, or never measured, says so. `npm run test:reliability -- --full --ledger` measures all and adds a line for each to `docs/reliability.jsonl`; names of targets measure those alone.",
    ...sections,
  ].join("\n")}\n`;
}

const newestOf = (
  ledger: readonly LedgerLine[],
  suite: string,
  target: string,
): LedgerLine | undefined =>
  ledger.findLast((line) => line.isFull && line.suite === suite && line.target === target);

function rowOf({ id, name, requirement }: TargetFacts, line: LedgerLine | undefined): string {
  const title = `**${id}**: ${name}`;
  if (!line) return cells([title, requirement, "**not measured yet**", "", "", "", "", ""]);
  const value = `${line.isMet ? "✓" : "**missed**:"} ${line.value} (${line.seconds} s)`;
  const facts = [String(line.n ?? ""), String(line.seed), line.commit, line.date, line.machine];
  return cells([title, requirement, value, ...facts]);
}

const cells = (texts: readonly string[]): string =>
  `| ${texts.map((text) => text.replaceAll("|", "\\|")).join(" | ")} |`;
