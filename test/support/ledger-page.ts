import type { Figure } from "./target.ts";
import type { LedgerLine } from "./ledger.ts";

type FigureFacts = Pick<Figure, "id" | "name" | "target">;

/** The page about what was measured: of every figure the newest full run, or that there was none. */
export function ledgerPage(
  programmes: ReadonlyMap<string, readonly FigureFacts[]>,
  ledger: readonly LedgerLine[],
): string {
  const sections = [...programmes].flatMap(([programme, figures]) => [
    "",
    `## \`npm run test:${programme}\``,
    "",
    "| Figure | Target | Measured | n | Seed | Commit | Date | Machine |",
    "| --- | --- | --- | --- | --- | --- | --- | --- |",
    ...figures.map((figure) => rowOf(figure, newestOf(ledger, programme, figure.id))),
  ]);
  return `${[
    "<!-- Generated from docs/reliability.jsonl by `npm run generate`; do not edit. -->",
    "",
    "# Reliability, measured",
    "",
    "What is promised of whole daemons, and what came of the newest full run of each figure. A figure that missed its target, or was never measured, says so. `npm run test:reliability -- --full --ledger` measures all and adds a line for each to `docs/reliability.jsonl`; names of figures measure those alone.",
    ...sections,
  ].join("\n")}\n`;
}

const newestOf = (
  ledger: readonly LedgerLine[],
  programme: string,
  figure: string,
): LedgerLine | undefined =>
  ledger.findLast((line) => line.isFull && line.programme === programme && line.figure === figure);

function rowOf({ id, name, target }: FigureFacts, line: LedgerLine | undefined): string {
  const title = `**${id}**: ${name}`;
  if (!line) return cells([title, target, "**not measured yet**", "", "", "", "", ""]);
  const value = `${line.isMet ? "✓" : "**missed**:"} ${line.value} (${line.seconds} s)`;
  const facts = [String(line.n ?? ""), String(line.seed), line.commit, line.date, line.machine];
  return cells([title, target, value, ...facts]);
}

const cells = (texts: readonly string[]): string =>
  `| ${texts.map((text) => text.replaceAll("|", "\\|")).join(" | ")} |`;
