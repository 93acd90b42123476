import type { LiveState } from "./live.ts";

const WORDS = {
  connecting: "Connecting…",
  connected: "Connected",
  lost: "Reconnecting…",
} as const;

/** Whether what the page shows is what is. */
export function ConnectionBadge({ live }: { readonly live: LiveState }) {
  const state = live.connection.value;
  return (
    <span class="connection" data-state={state} role="status">
      <span class="dot" aria-hidden="true" />
      <span class="connection-words">{WORDS[state]}</span>
    </span>
  );
}
