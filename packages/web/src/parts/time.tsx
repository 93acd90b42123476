import { signal } from "@preact/signals";

/** Ages and durations are updated this often. */
const TICK_MS = 1000;

const now = signal(Date.now());

setInterval(() => {
  if (!document.hidden) now.value = Date.now();
}, TICK_MS);

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Two units at most, such as `1 m 20 s`. */
export function durationText(ms: number): string {
  if (ms < SECOND) return `${Math.max(0, Math.round(ms))} ms`;
  if (ms < 10 * SECOND) return `${(ms / SECOND).toFixed(1)} s`;
  if (ms < MINUTE) return `${Math.floor(ms / SECOND)} s`;
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)} m ${Math.floor((ms % MINUTE) / SECOND)} s`;
  if (ms < DAY) return `${Math.floor(ms / HOUR)} h ${Math.floor((ms % HOUR) / MINUTE)} m`;
  return `${Math.floor(ms / DAY)} d ${Math.floor((ms % DAY) / HOUR)} h`;
}

/** One unit, such as `5 min`. */
function ageText(ms: number): string {
  if (ms < MINUTE) return `${Math.max(0, Math.floor(ms / SECOND))} s`;
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)} min`;
  if (ms < DAY) return `${Math.floor(ms / HOUR)} h`;
  return `${Math.floor(ms / DAY)} d`;
}

/** The exact time is in its title. */
export function Age({ at }: { readonly at: string }) {
  const then = new Date(at);
  return (
    <time class="time" dateTime={at} title={then.toLocaleString()}>
      {ageText(now.value - then.getTime())}
    </time>
  );
}

/** Finished, or still counting. */
export function Duration({ ms, since }: { readonly ms?: number; readonly since?: string }) {
  const shown = ms ?? (since === undefined ? 0 : now.value - Date.parse(since));
  return <span class="time">{durationText(shown)}</span>;
}
