import type { Claim } from "@nacre/contracts";
import { backgroundOf, isSameClaim } from "./claim-rules.ts";
import { HOST_CLAIM } from "./host-claim.ts";

/** Nobody hands a terminal back through more hands than these. */
export const MAX_EARLIER_CLAIMS = 16;

/** Whom the claim of one Terminal was taken from, newest last, so that it can be given back. */
export class ClaimHistory {
  readonly first: Claim;
  #claims: readonly Claim[] = [];

  /** Begins with the claim that the terminal was created with. */
  constructor(first: Claim) {
    this.first = first;
  }

  /** The claim went from this holder to another one; the host itself wants nothing back. */
  add(claim: Claim): void {
    if (isSameClaim(claim, HOST_CLAIM)) return;
    this.#claims = [...this.#claims, claim].slice(-MAX_EARLIER_CLAIMS);
  }

  /** Whom to give the present claim back to, if anybody. */
  before(present: Claim): Claim | undefined {
    return this.#claims.findLast((claim) => !isSameClaim(claim, present));
  }

  /** The claim went back to this holder, who owes nothing to those after it. */
  dropFrom(claim: Claim): void {
    const index = this.#claims.findLastIndex((earlier) => isSameClaim(earlier, claim));
    this.#claims = index < 0 ? [] : this.#claims.slice(0, index);
  }

  /** Who drives when the client of the present claim is gone for good: never another client that did not have it before. */
  fallbackFrom(vanished: Claim): { readonly claim: Claim; readonly earlier?: Claim } {
    const earlier = this.#claims.findLast((claim) => claim.kind === "session");
    if (earlier !== undefined) return { claim: backgroundOf(earlier), earlier };
    if (this.first.kind === "session") return { claim: backgroundOf(this.first) };
    return { claim: isSameClaim(this.first, vanished) ? HOST_CLAIM : this.first };
  }
}
