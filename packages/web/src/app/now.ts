import { signal } from "@preact/signals";

/** Ages and durations on the page grow; this often is enough to see it. */
const TICK_MS = 1000;

/** The time, by which everything that grows on the page is shown. */
export const now = signal(Date.now());

setInterval(() => {
  if (!document.hidden) now.value = Date.now();
}, TICK_MS);
