// Listeners by the client library, which comes back by itself when its connection breaks.
import type { Clock, NacreClient } from "@nacre/client";
import { type TerminalId, TerminalRecordingEntrySchema } from "@nacre/contracts";
import { recordedAfter } from "../support/numbered-lines.ts";
import type { Random } from "../support/random.ts";
import { HeardEntries, type Listener, ShownBytes, startListener } from "./listener.ts";

/** Waits before coming back are shortened, as only coming back is of interest; longer times are deadlines. */
const MAX_BACKOFF_MS = 10_000;
const HASTE = 50;

/** A clock for clients that come back at once. */
export const hastyClock = (random: Random): Clock => ({
  after(delayMs, callback) {
    const timer = setTimeout(callback, delayMs > MAX_BACKOFF_MS ? delayMs : delayMs / HASTE);
    return () => clearTimeout(timer);
  },
  random: () => random.between(0, 999) / 1000,
});

/** What a listener is made with. */
export interface TypedListenerParts {
  /** Over connections that break. */
  readonly client: NacreClient;
  /** Over connections that last. */
  readonly direct: NacreClient;
  readonly id: TerminalId;
}

/** Hears the events of one terminal's entries. */
export function typedEvents({ client, direct, id }: TypedListenerParts): Listener {
  const heard = new HeardEntries();
  return startListener({
    name: "events by the client",
    check: (name, terminal) => heard.check(name, terminal),
    listen: async ({ connected, resync }) => {
      const channels = [`${id}.recordingEntry.appended`];
      for await (const message of client.events({ channels, handleConnection: connected })) {
        if (message.type === "resync") {
          resync();
          heard.catchUp(await recordedAfter(direct, id, heard.last));
        } else {
          heard.add(TerminalRecordingEntrySchema.parse(message.event.payload));
        }
        if (heard.isOver) return;
      }
    },
  });
}

/** Follows the feed of a terminal. */
export function typedFeed({ client, direct, id }: TypedListenerParts): Listener {
  const heard = new HeardEntries();
  return startListener({
    name: "feed by the client",
    check: (name, terminal) => heard.check(name, terminal),
    listen: async ({ connected, resync }) => {
      for await (const message of client.feed(id, { after: 0, handleConnection: connected })) {
        if (message.kind === "entry") {
          heard.add(message.entry);
          continue;
        }
        // A picture stands for all entries up to it; who wants them reads them.
        resync();
        const missed = await recordedAfter(direct, id, heard.last);
        heard.catchUp(missed.filter(({ sequence }) => sequence <= message.screen.sequence));
      }
    },
  });
}

/** Opens a terminal on its raw wire. */
export function typedTerminal({ client, id }: TypedListenerParts): Listener {
  const shown = new ShownBytes();
  return startListener({
    name: "raw socket by the client",
    check: (name, terminal) => shown.check(name, terminal),
    listen: async ({ connected, resync }) => {
      const opened = client.openTerminal(id, { cursor: 0, handleConnection: connected });
      for await (const message of opened) {
        if (message.kind === "bytes") shown.add(message.bytes, message.sequence);
        if (message.kind !== "snapshot") continue;
        resync();
        shown.restart(message.sequence);
      }
    },
  });
}
