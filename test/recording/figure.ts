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
  /** Gives what was measured in words and throws when the target was missed. */
  readonly measure: (run: Needs) => Promise<string>;
}

/** How often something is done in a run of this scale. */
export const times = (full: number, scale: number): number => Math.max(3, Math.round(full * scale));

/** Measures all figures and prints each; gives how many were missed. */
export async function measureFigures(
  figures: readonly Figure[],
  run: Omit<Run, "progress">,
  print: (line: string) => void,
): Promise<number> {
  let missed = 0;
  for (const { id, name, target, measure } of figures) {
    const startedAt = performance.now();
    const progress = (done: number, of: number): void => {
      if (process.stderr.isTTY) process.stderr.write(`\r${id} ${done}/${of}\u001b[K`);
    };
    let verdict: string;
    try {
      verdict = `✓ ${await measure({ ...run, progress })}`;
    } catch (error) {
      missed++;
      verdict = `✗ ${error instanceof Error ? error.message : String(error)}`;
    }
    if (process.stderr.isTTY) process.stderr.write("\r\u001b[K");
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
    print(`${id.padEnd(9)}${name} (${target})\n         ${verdict} (${seconds} s)`);
  }
  print(`${figures.length - missed} of ${figures.length} figures met`);
  return missed;
}
