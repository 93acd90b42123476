import type { EntityEventsMessage, TerminalFeedMessage } from "@nacre/contracts";
import { type Client, createClient } from "./client.ts";
import { type EventsOptions, followEvents } from "./events.ts";
import { type FeedOptions, followTerminal } from "./feed.ts";
import { type Clock, type Following, machineClock } from "./follow.ts";
import { type Fetch, fetchWire, httpSend, type HttpWire } from "./http-wire.ts";
import { type OpenOptions, OpenTerminal } from "./open-terminal.ts";
import { type Transfers, transfersOver } from "./transfers.ts";

/** A client of one host: its operations by name, its feeds, and what has bytes of any length. */
export type NacreClient = Client & Feeds & Transfers;

/** What a host tells as it happens; lost connections are made again. */
export interface Feeds {
  /** Hears entity events on channels, each once and in order, with a `resync` wherever some may be missing. */
  events(options: EventsOptions): Following<EntityEventsMessage>;
  /** Follows a terminal: a snapshot, then every entry after it once and in order. */
  feed(id: string, options?: FeedOptions): Following<TerminalFeedMessage>;
  /** Opens a terminal on its raw wire, to show it and to type. */
  openTerminal(id: string, options?: OpenOptions): OpenTerminal;
}

export interface ConnectOptions {
  /** Address of the host, such as `http://127.0.0.1:6227`. */
  readonly url: string;
  readonly token: string;
  /** Tells the programs of one caller apart: letters, digits, `.`, `_`, `:` and `-`. */
  readonly clientLabel?: string | undefined;
  readonly fetch?: Fetch | undefined;
  readonly clock?: Clock | undefined;
}

/** A client over HTTP that sends its token to this address: for a page, that is where it came from. Programs use `@nacre/client/node`, where the host proves first who it is. */
export function connect(options: ConnectOptions): NacreClient {
  const { url, token, clientLabel, clock } = options;
  const fetch = options.fetch ?? ((address, init) => globalThis.fetch(address, init));
  return clientOver({ wire: fetchWire({ url, token, clientLabel, fetch }), url, clock });
}

export interface ClientDeps {
  readonly wire: HttpWire;
  /** Where the WebSockets of the host are. */
  readonly url: string;
  readonly clock?: Clock | undefined;
  /** Makes sure that it is the host that listens there. */
  readonly checkHost?: () => Promise<void>;
}

/** A client over any HTTP wire. */
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
    // A ticket is good once and for this path only, so that no address ever has the token in it.
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
