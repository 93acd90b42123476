import type { Claim } from "@nacre/contracts";
import type { Live } from "../app/live.ts";
import { holderOf } from "./holder.ts";

/** Who drives a terminal. */
export function ClaimChip({ claim, live }: { readonly claim: Claim; readonly live: Live }) {
  const { kind, name, details } = holderOf(claim, live);
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
