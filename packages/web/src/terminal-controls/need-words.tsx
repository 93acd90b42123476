import { describeNeed, type Need, safeLines, safeText, shortLabel } from "@nacre/client/ui";
import { Age } from "../parts/time.tsx";
import type { LiveState } from "../state/live-state.ts";

/** What waits for a person, as a sentence. */
export function NeedWords({ live, need }: { readonly live: LiveState; readonly need: Need }) {
  const { who, words, quote, note, since } = describeNeed(need, live.isMine);
  if (need.kind === "failed") {
    return (
      <span class="need-failed">
        {who !== undefined && <code class="clip">{shortLabel(who)}</code>}
        <span>{words}</span>
      </span>
    );
  }
  return (
    <span>
      {who !== undefined && <strong>{safeText(who)}</strong>} {words}
      {quote !== undefined && <q>{safeLines(quote)}</q>}{" "}
      <span class="quiet">
        <Age at={since} isAgo />
        {note !== undefined && `, ${note}`}
      </span>
    </span>
  );
}
