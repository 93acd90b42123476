// Times, sizes and labels as people read them.
import { safeText } from "./safe-text.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** How old something is, in one unit, such as `5s`, `3m`, `2h` or `4d`. */
export function formatAge(ms: number): string {
  if (ms < SECOND) return "now";
  if (ms < MINUTE) return `${Math.floor(ms / SECOND)}s`;
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)}m`;
  return ms < DAY ? `${Math.floor(ms / HOUR)}h` : `${Math.floor(ms / DAY)}d`;
}

/** When something was, such as `5s ago`. */
export const formatAgo = (ms: number): string =>
  ms < SECOND ? "just now" : `${formatAge(ms)} ago`;

/** How long something took, in two units at most, such as `140ms`, `1.2s` or `1m 20s`. */
export function formatDuration(ms: number): string {
  if (ms < SECOND) return `${Math.max(0, Math.round(ms))}ms`;
  // Cut, not rounded, so that 9.99 s are not called 10.0.
  if (ms < 10 * SECOND) return `${(Math.floor(ms / 100) / 10).toFixed(1)}s`;
  if (ms < MINUTE) return `${Math.floor(ms / SECOND)}s`;
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)}m ${Math.floor((ms % MINUTE) / SECOND)}s`;
  if (ms < DAY) return `${Math.floor(ms / HOUR)}h ${Math.floor((ms % HOUR) / MINUTE)}m`;
  return `${Math.floor(ms / DAY)}d ${Math.floor((ms % DAY) / HOUR)}h`;
}

/** A place in a recording as players show it, such as `1:05` or `2:03:04`. */
export function formatClock(ms: number): string {
  const [hours, minutes, seconds] = clockParts(ms);
  const end = String(seconds).padStart(2, "0");
  return hours > 0 ? `${hours}:${String(minutes).padStart(2, "0")}:${end}` : `${minutes}:${end}`;
}

/** A place in words, for who hears it: `1 minute 5 seconds`. */
export function speakClock(ms: number): string {
  const [hours, minutes, seconds] = clockParts(ms);
  const parts = [
    [hours, "hour"],
    [minutes, "minute"],
    [seconds, "second"],
  ] as const;
  const said = parts
    .filter(([count]) => count > 0)
    .map(([count, unit]) => `${count} ${unit}${count === 1 ? "" : "s"}`);
  return said.join(" ") || "0 seconds";
}

function clockParts(ms: number): readonly [number, number, number] {
  const seconds = Math.floor(Math.max(0, ms) / SECOND);
  return [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
}

const UNITS = ["B", "KB", "MB", "GB", "TB"];

/** A number of bytes, such as `1.4 MB`; units are of 1024, as the options of the CLI read them. */
export function formatBytes(bytes: number): string {
  let size = bytes;
  let unit = 0;
  for (; size >= 1024 && unit < UNITS.length - 1; unit++) size /= 1024;
  return `${unit === 0 || size >= 100 ? Math.round(size) : size.toFixed(1)} ${UNITS[unit]}`;
}

/** Nobody reads a longer label on a line; pasted files may be command lines. */
const MAX_LABEL_LENGTH = 200;

/** A text that others wrote as a label: on one line, and with nothing in it that could act or mislead. */
export function shortLabel(text: string): string {
  const line = safeText(
    text
      .slice(0, MAX_LABEL_LENGTH + 1)
      .replaceAll(/\s+/g, " ")
      .trim(),
  );
  return line.length > MAX_LABEL_LENGTH ? `${line.slice(0, MAX_LABEL_LENGTH)}…` : line;
}
