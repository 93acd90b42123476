import { describeStorage } from "@nacre/client/ui";
import type { StorageInfo } from "@nacre/contracts";
import { Icon } from "../parts/icon.tsx";
import type { LiveState } from "../state/live-state.ts";

/** Says that the disk of the recordings is not well, and what to do; nothing while it is. */
export function StorageBanner({ live }: { readonly live: LiveState }) {
  const storage = live.storage.value;
  // The region is always there, so that screen readers say what comes into it.
  return <div role="alert">{storage && <Warning {...storage} />}</div>;
}

function Warning(storage: StorageInfo) {
  const { reason = "", suggestion = "" } = storage;
  const fact = describeStorage(storage);
  if (!fact) return null;
  return (
    <div class="banner storage-banner" data-tone={fact.tone}>
      <Icon name="warn" />
      <p>
        {fact.words}. <span class="storage-reason">({reason})</span>{" "}
        <span class="storage-advice">{suggestion}</span>
      </p>
    </div>
  );
}
