import type { Claim, ClientId } from "@nacre/contracts";
import type { Timers } from "./timers.ts";

/** How long a client may be gone before its claim goes to somebody who is there: longer than a page takes to load again. */
export const CLIENT_GRACE_MS = 10_000;

/** Clients that left are remembered, in case that one gets a claim afterwards; older ones are forgotten. */
const MAX_GONE_CLIENTS = 256;

/** The claim of a client. */
export type ClientClaim = Extract<Claim, { kind: "client" }>;

/** What a ClientGrace needs. */
export interface ClientGraceOptions {
  readonly graceMs: number;
  readonly timers: Timers;
  /** The client that holds the watched claim was gone for the whole grace time. */
  vanished(claim: ClientClaim): void;
}

/** Counts how long the client that holds a claim is gone. */
export class ClientGrace implements Disposable {
  readonly #options: ClientGraceOptions;
  readonly #gone = new Set<ClientId>();
  #claim: Claim;
  #cancel: (() => void) | undefined;

  constructor(claim: Claim, options: ClientGraceOptions) {
    this.#claim = claim;
    this.#options = options;
  }

  isGone(clientId: ClientId): boolean {
    return this.#gone.has(clientId);
  }

  /** A client left; leaving twice does not start the time anew. */
  leave(clientId: ClientId): void {
    if (this.#gone.has(clientId)) return;
    this.#gone.add(clientId);
    const [oldest] = this.#gone;
    if (oldest !== undefined && this.#gone.size > MAX_GONE_CLIENTS) this.#gone.delete(oldest);
    if (this.#claim.kind === "client" && this.#claim.clientId === clientId) this.watch(this.#claim);
  }

  /** A client is there again. */
  comeBack(clientId: ClientId): void {
    this.#gone.delete(clientId);
    if (this.#claim.kind === "client" && this.#claim.clientId === clientId) this.watch(this.#claim);
  }

  /** From now on this is the claim that counts; its client has the whole grace time. */
  watch(claim: Claim): void {
    this.#claim = claim;
    this[Symbol.dispose]();
    if (claim.kind !== "client" || !this.#gone.has(claim.clientId)) return;
    const { timers, graceMs } = this.#options;
    this.#cancel = timers.after(graceMs, () => this.#options.vanished(claim));
  }

  [Symbol.dispose](): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }
}
