// How fast a program's output and a key's echo are shown, beside programs that only show: as `npm run bench -- throughput`.
import { BARE_LAYOUT } from "../../bench/throughput-contenders.ts";
import { at, type Figures, measureContenders, median } from "../../bench/throughput-measure.ts";
import {
  FULL_PLAN,
  MAX_DRAWN_MS,
  MAX_P50_MS,
  MAX_P99_MS,
  MAX_TTYD_TIMES,
  RATE_TARGETS,
} from "../../bench/throughput.ts";
import { type Run, times } from "../support/target.ts";

const roundsOf = (scale: number): number => Math.max(1, Math.round(FULL_PLAN.rounds * scale));

/** Times of a short run say little, and may be of a busy machine. */
const NOT_JUDGED = ["a short run, not judged"];

/** Shows a text to one viewer of each; throws when somebody is faster than that, in a full run. */
export async function measureThroughput({ scale, progress }: Run): Promise<string> {
  const isFull = scale >= 1;
  const rounds = roundsOf(scale);
  const megabytes = Math.max(1, Math.round(FULL_PLAN.megabytes * scale));
  let round = 0;
  const named = await measureContenders({
    rounds,
    megabytes,
    keys: 0,
    rests: isFull,
    tell: () => progress(round++, rounds),
  });
  const rateOf = (one: Figures): number => median(one.megabytesPerSecond);
  const ours = rateOf(named.get("nacre")!);
  const drawnMs = median(named.get("nacre")!.drawnMs);
  const ratios = Object.entries(RATE_TARGETS).map(([name, target]) => {
    const theirs = named.get(name);
    return { name, target, ratio: theirs && ours / rateOf(theirs) };
  });
  const words = [
    `${megabytes} MB, ${rounds} rounds: ${ours.toFixed(1)} MB/s`,
    ...ratios.map(({ name, ratio }) => `${ratio?.toFixed(2) ?? "not"} × ${name}`),
    `drawn ${drawnMs.toFixed(0)} ms later`,
    ...(isFull ? [] : NOT_JUDGED),
  ].join(", ");
  const isFast = ratios.every(({ ratio, target }) => ratio !== undefined && ratio >= target);
  if (isFull && !(isFast && drawnMs <= MAX_DRAWN_MS)) throw new Error(words);
  return words;
}

/** Presses keys in a terminal of each; throws when they are shown too late, in a full run. */
export async function measureEcho({ scale, progress }: Run): Promise<string> {
  const isFull = scale >= 1;
  const rounds = roundsOf(scale);
  const keys = Math.ceil(times(FULL_PLAN.rounds * FULL_PLAN.keys, scale) / rounds);
  let round = 0;
  const tell = (): void => progress(round++, rounds);
  const named = await measureContenders({ rounds, megabytes: 0, keys, rests: isFull, tell });
  const shares = ({ keyMs }: Figures) => ({ p50: at(keyMs, 0.5), p99: at(keyMs, 0.99) });
  const ours = shares(named.get("nacre")!);
  const ttyd = named.get("ttyd");
  const ratio = ttyd && ours.p50 / shares(ttyd).p50;
  const bareRatio = ttyd && shares(named.get(BARE_LAYOUT)!).p50 / shares(ttyd).p50;
  const words = [
    `${rounds * keys} keys: p50 ${ours.p50.toFixed(2)} ms`,
    `p99 ${ours.p99.toFixed(2)} ms`,
    `p50 ${ratio?.toFixed(1) ?? "not"} × ttyd`,
    `the same processes and threads with nothing in them ${bareRatio?.toFixed(1) ?? "not"} × ttyd`,
    ...(isFull ? [] : NOT_JUDGED),
  ].join(", ");
  const isFast = ours.p50 <= MAX_P50_MS && ours.p99 <= MAX_P99_MS;
  const isMet = isFast && ratio !== undefined && ratio <= MAX_TTYD_TIMES;
  if (isFull && !isMet) throw new Error(words);
  return words;
}
