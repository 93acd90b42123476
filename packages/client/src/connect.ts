import type { EntityEventsMessage, TerminalFeedMessage } from "@nacre/contracts";
import { type Client, createClient } from "./client.ts";
import { type EventsOptions, followEvents } from "./events.ts";
import { type FeedOptions, followTerminal } from "./feed.ts";
import { type Clock, type Following, machineClock } from "./follow.ts";
import { type Fetch, fetchWire, httpSend, type HttpWire } from "./http-wire.ts";
import { type OpenOptions, OpenTerminal } from "./open-terminal.ts";
import { type Transfers, transfersOver } from "./transfers.ts";

/** Operations by name, feeds and transfers. */
export type NacreClient = Client & Feeds & Transfers;

/** Lost connections are re-established. */
export interface Feeds {
  /** Each once and in order, with a `resync` wherever some may be missing. */
  events(options: EventsOptions): Following<EntityEventsMessage>;
  /** A snapshot, then every entry once and in order. */
  feed(id: string, options?: FeedOptions): Following<TerminalFeedMessage>;
  /** Over the raw WebSocket, to show it and to type. */
  openTerminal(id: string, options?: OpenOptions): OpenTerminal;
}

export interface ConnectOptions {
  /** Such as `http://127.0.0.1:6227`. */
  readonly url: string;
  readonly token: string;
  /** Distinguishes the programs of one caller: letters, digits, `.`, `_`, `:` and `-`. */
  readonly clientLabel?: string | undefined;
  readonly fetch?: Fetch | undefined;
  readonly clock?: Clock | undefined;
}

/**
 * Sends its token to this address: for a page, that is its own origin. Programs use `@nacre/client/node`, where the
 * host first proves its identity.
 */
export function connect(options: ConnectOptions): NacreClient {
  const { url, token, clientLabel, clock } = options;
  const fetch = options.fetch ?? ((address, init) => globalThis.fetch(address, init));
  return clientOver({ wire: fetchWire({ url, token, clientLabel, fetch }), url, clock });
}

export interface ClientDeps {
  readonly wire: HttpWire;
  readonly url: string;
  readonly clock?: Clock | undefined;
  /** Verifies the host's identity. */
  readonly checkHost?: () => Promise<void>;
}

export function clientOver({
  wire,
  url,
  clock = machineClock,
  checkHost,
}: ClientDeps): NacreClient {
  const client = createClient(httpSend(wire));
  const over = { wire, clock };
  const address = async (path: string): Promise<URL> => {
    await checkHost?.();
    // A ticket is good once and for this path only, so that no URL contains the token.
    const { ticket } = await client.createTicket({ path });
    const found = new URL(path, url);
    found.protocol = found.protocol === "https:" ? "wss:" : "ws:";
    found.searchParams.set("ticket", ticket);
    return found;
  };
  return {
    ...client,
    ...transfersOver(wire),
    events: (options) => followEvents(over, options),
    feed: (id, options) => followTerminal(over, id, options),
    openTerminal: (id, options) => new OpenTerminal({ clock, address }, id, options),
  };
}
