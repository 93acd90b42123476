import type { Caller, CreateTicketInput, CreateTicketResult } from "@nacre/contracts";
import type { Identity } from "./auth-context.ts";
import { type Clock, SYSTEM_CLOCK } from "../base/clock.ts";
import { hashSecret, makeSecret } from "./secret.ts";

/** A page opens its connection right after it asked; a ticket that lies around is worth stealing. */
export const TICKET_MS = 30_000;

/** Tickets of one caller that wait to be used: enough for a page with many terminals; the oldest gives way. */
const MAX_TICKETS_PER_CALLER = 64;

const TICKET_PREFIX = "ticket_";

interface Ticket {
  readonly caller: Caller;
  readonly path: string;
  readonly expiresAt: number;
}

/** Single-use tickets by which a browser, which cannot send headers there, opens a connection. */
export class Tickets {
  readonly #clock: Clock;
  /** By caller, so that none can push out another's; then by the hash of the ticket, oldest first. */
  readonly #tickets = new Map<string, Map<string, Ticket>>();

  constructor(clock: Clock = SYSTEM_CLOCK) {
    this.#clock = clock;
  }

  /** Makes a ticket that lets this caller, as this client, in at this path once. */
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

  /** Whom a ticket lets in here; whatever the answer, it is used up. */
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

  /** Takes away the tickets of a credential that is good for nothing any more. */
  forget(name: string): void {
    this.#tickets.delete(name);
  }
}

/** Looking up by the hash tells nothing about the ticket: who does not know it cannot choose its hash. */
const hashTicket = (ticket: string): string => hashSecret(ticket).toString("hex");
