import type { Claim } from "@nacre/contracts";
import { CLIENT_LABEL } from "../daemon-link.ts";
import { safeText } from "../print.ts";

/** What the user of this machine is called by its daemon. */
const LOCAL_CALLER = "local";

/** How a claim looks from here. */
export interface Holding {
  readonly isMine: boolean;
  /** Who holds the terminal, as in "agent s1 holds it". */
  readonly words: string;
}

/** Says who holds a terminal; with a token of somebody else nobody here knows by which name they go. */
export function holdingOf(claim: unknown, hasToken = Boolean(process.env["NACRE_TOKEN"])): Holding {
  if (!isClaim(claim)) return { isMine: false, words: "somebody" };
  if (claim.kind === "session") {
    return { isMine: false, words: `the agent session ${safeText(claim.session)}` };
  }
  const name: string = claim.clientId;
  if (!hasToken && (name === LOCAL_CALLER || name === `${LOCAL_CALLER}#${CLIENT_LABEL}`)) {
    return { isMine: true, words: "you" };
  }
  return { isMine: false, words: name === "host" ? "nobody" : safeText(name) };
}

/** Whether the host keeps a claim because nobody else is there for it. */
export const isFree = (claim: Claim): boolean =>
  claim.kind === "client" && (claim.clientId as string) === "host";

const isClaim = (claim: unknown): claim is Claim =>
  typeof claim === "object" && claim !== null && "kind" in claim;
