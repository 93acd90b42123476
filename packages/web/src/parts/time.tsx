import { formatAge, formatAgo, formatDuration } from "@nacre/client/ui";
import { signal } from "@preact/signals";

/** Ages and durations are updated this often. */
const TICK_MS = 1000;

const now = signal(Date.now());

setInterval(() => {
  if (!document.hidden) now.value = Date.now();
}, TICK_MS);

interface AgeProps {
  readonly at: string;
  /** Whether it is part of a sentence: `5s ago`. */
  readonly isAgo?: boolean;
}

/** How long ago something was; the exact time is in its title. */
export function Age({ at, isAgo = false }: AgeProps) {
  const then = new Date(at);
  const format = isAgo ? formatAgo : formatAge;
  return (
    <time class="time" dateTime={at} title={then.toLocaleString()}>
      {format(now.value - then.getTime())}
    </time>
  );
}

/** Finished, or still counting. */
export function Duration({ ms, since }: { readonly ms?: number; readonly since?: string }) {
  const shown = ms ?? (since === undefined ? 0 : now.value - Date.parse(since));
  return <span class="time">{formatDuration(shown)}</span>;
}
