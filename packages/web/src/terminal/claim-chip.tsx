import type { Claim } from "@nacre/contracts";
import type { LiveState } from "../app/live.ts";
import { readHolder } from "./holder.ts";

/** Who drives a terminal. */
export function ClaimChip({ claim, live }: { readonly claim: Claim; readonly live: LiveState }) {
  const { kind, name, details } = readHolder(claim, live);
  return (
    <span class="holder" data-kind={kind} title={details}>
      {kind === "agent" && <span class="holder-kind">Agent</span>}
      {kind === "you" || kind === "host" ? (
        <span class="holder-kind">{name}</span>
      ) : (
        <span class="holder-name clip">{name}</span>
      )}
    </span>
  );
}
