import type { Caller, CreateTicketInput, CreateTicketResult } from "@nacre/contracts";
import type { Identity } from "./auth-context.ts";
import { type Clock, SYSTEM_CLOCK } from "../base/clock.ts";
import { hashSecret, makeSecret } from "./secret.ts";

/** A page connects right after it asked; a ticket that lies around is worth stealing. */
export const TICKET_MS = 30_000;

/** Enough for a page with many terminals; the oldest is dropped. */
const MAX_TICKETS_PER_CALLER = 64;

const TICKET_PREFIX = "ticket_";

interface Ticket {
  readonly caller: Caller;
  readonly path: string;
  readonly expiresAt: number;
}

/** Single-use tickets for browsers, which cannot send an Authorization header on a WebSocket. */
export class Tickets {
  readonly #clock: Clock;
  /** By caller, so that none can push out another's; then by ticket hash, oldest first. */
  readonly #tickets = new Map<string, Map<string, Ticket>>();

  constructor(clock: Clock = SYSTEM_CLOCK) {
    this.#clock = clock;
  }

  /** For this caller and client, once, at this path. */
  issue(caller: Caller, { path }: CreateTicketInput): CreateTicketResult {
    const ticket = makeSecret(TICKET_PREFIX);
    const expiresAt = this.#clock.monotonicMs() + TICKET_MS;
    const own = this.#tickets.get(caller.id) ?? new Map<string, Ticket>();
    this.#tickets.set(caller.id, own);
    own.set(hashTicket(ticket), { caller, path, expiresAt });
    const [oldest] = own.keys();
    if (oldest !== undefined && own.size > MAX_TICKETS_PER_CALLER) own.delete(oldest);
    return { ticket, expiresAt: new Date(this.#clock.now() + TICKET_MS).toISOString() };
  }

  /** Consumes the ticket whatever the result. */
  redeem(ticket: string, path: string): Identity | undefined {
    const key = hashTicket(ticket);
    for (const [id, own] of this.#tickets) {
      const found = own.get(key);
      if (found === undefined) continue;
      own.delete(key);
      if (own.size === 0) this.#tickets.delete(id);
      if (found.path !== path || found.expiresAt <= this.#clock.monotonicMs()) return undefined;
      return { caller: found.caller, credential: { name: id } };
    }
    return undefined;
  }

  /** The credential was revoked. */
  forget(name: string): void {
    this.#tickets.delete(name);
  }
}

/** Looking up by hash reveals nothing: nobody can choose the hash of an unknown ticket. */
const hashTicket = (ticket: string): string => hashSecret(ticket).toString("hex");
