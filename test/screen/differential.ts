import { judge } from "./explain.ts";
import { CASE_CLASSES, type CaseClass, classOf, makeCase, type ScreenCase } from "./grammar.ts";
import type { KnownDifference } from "./known-difference.ts";
import { KNOWN_DIFFERENCES } from "./known-differences.ts";
import { CASE_SIZE } from "./output-rules.ts";
import { shrink } from "./shrink.ts";
import { TmuxScreen } from "./tmux-screen.ts";

/** Cases whose smallest form is looked for; more are only counted. */
const MAX_SHOWN = 10;

/** Seeds of runs are this far apart, so that none has a case of another. */
const SEED_DISTANCE = 1_000_000;

/** What came out of many cases. */
export interface Tally {
  readonly cases: Map<CaseClass, { all: number; agreed: number }>;
  readonly known: Map<KnownDifference, number>;
  /** Differences that nothing explains, with the bytes that show them. */
  readonly unknown: string[];
  unknownCount: number;
}

/** Draws generated cases with ours and with tmux. */
export async function runDifferential(options: {
  readonly cases: number;
  readonly seed: number;
  readonly progress: (done: number, of: number) => void;
}): Promise<Tally> {
  const { cases, seed, progress } = options;
  await using tmux = await TmuxScreen.start(CASE_SIZE);
  const tally: Tally = {
    cases: new Map(CASE_CLASSES.map((kind) => [kind, { all: 0, agreed: 0 }])),
    known: new Map(),
    unknown: [],
    unknownCount: 0,
  };
  for (let index = 0; index < cases; index++) {
    await runCase(tmux, makeCase(classOf(index), seed * SEED_DISTANCE + index), tally);
    progress(index + 1, cases);
  }
  return tally;
}

async function runCase(tmux: TmuxScreen, one: ScreenCase, tally: Tally): Promise<void> {
  const verdict = await judge(tmux, one, KNOWN_DIFFERENCES);
  const count = tally.cases.get(one.kind);
  if (!count) return;
  count.all++;
  switch (verdict.kind) {
    case "agree":
      count.agreed++;
      return;
    case "known":
      for (const known of verdict.by) tally.known.set(known, (tally.known.get(known) ?? 0) + 1);
      return;
    case "unknown":
      if (tally.unknownCount++ < MAX_SHOWN) tally.unknown.push(await describe(tmux, one));
  }
}

async function describe(
  tmux: TmuxScreen,
  { kind, seed, size, steps }: ScreenCase,
): Promise<string> {
  const least = await shrink(steps, async (fewer) => {
    const verdict = await judge(tmux, { size, steps: fewer }, KNOWN_DIFFERENCES);
    return verdict.kind === "unknown";
  });
  const verdict = await judge(tmux, { size, steps: least }, KNOWN_DIFFERENCES);
  const found = verdict.kind === "unknown" ? verdict.found : ["not again"];
  const bytes = least.map((step) => JSON.stringify(step.bytes ?? step.size)).join(" ");
  return `${kind} ${seed}: ${bytes}: ${found.join("; ")}`;
}
