// How the programmes of this folder and its neighbours measure: figures with targets, one after the other.

/** What a run is made of. */
export interface Run {
  /** 1 is the full programme; smaller runs do the same less often. */
  readonly scale: number;
  /** The same seed gives the same run. */
  readonly seed: number;
  readonly progress: (done: number, of: number) => void;
}

/** A measured promise; programmes may need more for it than a run is made of. */
export interface Figure<Needs = Run> {
  readonly id: string;
  readonly name: string;
  readonly target: string;
  /** How often the full programme does it, where that can be said with a number. */
  readonly count?: number;
  /** Gives what was measured in words and throws when the target was missed. */
  readonly measure: (run: Needs) => Promise<string>;
}

/** How often something is done in a run of this scale. */
export const times = (full: number, scale: number): number => Math.max(3, Math.round(full * scale));

/** What came of a figure. */
export interface Measured {
  readonly figure: Figure;
  readonly isMet: boolean;
  readonly words: string;
  readonly seconds: number;
  readonly n: number | undefined;
}

/** Measures all figures, prints each and tells of it; gives how many were missed. */
export async function measureFigures(
  figures: readonly Figure[],
  run: Omit<Run, "progress">,
  print: (line: string) => void,
  tell: (measured: Measured) => void = () => {},
): Promise<number> {
  let missed = 0;
  for (const figure of figures) {
    const { id, name, target, count, measure } = figure;
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
    print(`${id.padEnd(9)}${name} (${target})\n         ${verdict} (${seconds.toFixed(1)} s)`);
    const n = count === undefined ? undefined : times(count, run.scale);
    tell({ figure, isMet, words, seconds, n });
  }
  print(`${figures.length - missed} of ${figures.length} figures met`);
  return missed;
}
