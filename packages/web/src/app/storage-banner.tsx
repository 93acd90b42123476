import type { StorageInfo } from "@nacre/contracts";
import { Icon } from "../parts/icon.tsx";
import type { LiveState } from "../state/live-state.ts";

const WORDS = {
  low: "The disk of the recordings runs low.",
  full: "The disk is full: nothing is recorded, and programs show nothing new until there is room.",
  failing: "Recordings cannot be written: programs show nothing new until they can.",
} as const;

/** Nothing while the disk is ok. */
export function StorageBanner({ live }: { readonly live: LiveState }) {
  const storage = live.storage.value;
  // The region always exists, so that screen readers announce its content.
  return <div role="alert">{storage && storage.state !== "ok" && <Warning {...storage} />}</div>;
}

function Warning({ state, reason = "", suggestion = "" }: StorageInfo) {
  if (state === "ok") return null;
  return (
    <div class="banner storage-banner" data-tone={state === "low" ? "warn" : "bad"}>
      <Icon name="warn" />
      <p>
        {WORDS[state]} <span class="storage-reason">({reason})</span>{" "}
        <span class="storage-advice">{suggestion}</span>
      </p>
    </div>
  );
}
