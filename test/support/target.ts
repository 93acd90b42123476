// A suite such as `npm run test:reliability` is a list of targets, measured one after the other.

/** What a run is made of. */
export interface Run {
  /** 1 is the full suite; smaller runs do the same less often. */
  readonly scale: number;
  /** The same seed gives the same run. */
  readonly seed: number;
  readonly progress: (done: number, of: number) => void;
}

/** A measured promise; a suite may need more for it than a run is made of. */
export interface Target<Needs = Run> {
  readonly id: string;
  readonly name: string;
  /** What must hold, in words. */
  readonly requirement: string;
  /** How often the full suite does it, where that can be said with a number. */
  readonly count?: number;
  /** Gives what was measured in words and throws when the target was missed. */
  readonly measure: (run: Needs) => Promise<string>;
}

/** How often something is done in a run of this scale. */
export const times = (full: number, scale: number): number => Math.max(3, Math.round(full * scale));

/** What came of a target. */
export interface Measured {
  readonly target: Target;
  readonly isMet: boolean;
  readonly words: string;
  readonly seconds: number;
  readonly n: number | undefined;
}

/** Measures all targets, prints each and tells of it; gives how many were missed. */
export async function measureTargets(
  targets: readonly Target[],
  run: Omit<Run, "progress">,
  print: (line: string) => void,
  tell: (measured: Measured) => void = () => {},
): Promise<number> {
  let missed = 0;
  for (const target of targets) {
    const { id, name, requirement, count, measure } = target;
    const startedAt = performance.now();
    const progress = (done: number, of: number): void => {
      if (process.stderr.isTTY) process.stderr.write(`\r${id} ${done}/${of}\u001b[K`);
    };
    let isMet = true;
    let words: string;
    try {
      words = await measure({ ...run, progress });
    } catch (error) {
      missed++;
      isMet = false;
      words = error instanceof Error ? error.message : String(error);
    }
    if (process.stderr.isTTY) process.stderr.write("\r\u001b[K");
    const seconds = (performance.now() - startedAt) / 1000;
    const verdict = `${isMet ? "✓" : "✗"} ${words}`;
    print(`${id.padEnd(9)}${name} (${requirement})\n         ${verdict} (${seconds.toFixed(1)} s)`);
    const n = count === undefined ? undefined : times(count, run.scale);
    tell({ target, isMet, words, seconds, n });
  }
  print(`${targets.length - missed} of ${targets.length} targets met`);
  return missed;
}
