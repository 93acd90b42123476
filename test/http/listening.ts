// How tests listen to events over HTTP, and what they compare them with.
import { EntityEventsMessage, type TerminalRecordingEntry } from "@nacre/contracts";
import type { ReadEvent } from "../../packages/host/src/transports/http/testing/read-events.ts";
import { EventReader } from "./event-reader.ts";
import type { HttpRig } from "./http-rig.ts";

/** Who listens, and what it heard last. */
interface Listener {
  readonly lastEventId?: string | undefined;
  readonly token?: string;
}

/** Opens a stream of events; the operator listens unless somebody else is named. */
export const listen = (
  rig: HttpRig,
  path: string,
  { lastEventId, token = rig.token }: Listener = {},
): Promise<EventReader> =>
  EventReader.open(
    rig.url,
    {
      authorization: `Bearer ${token}`,
      ...(lastEventId === undefined ? {} : { "last-event-id": lastEventId }),
    },
    path,
  );

/** Where the events of these channels are. */
export const channelsPath = (...channels: readonly string[]): string =>
  `/api/events?${channels.map((one) => `channel=${encodeURIComponent(one)}`).join("&")}`;

/** The channel of the entries of a terminal. */
export const entriesOf = (id: string): string => `${id}.recordingEntry.appended`;

/** The event of a message, unless it is something else. */
export function envelopeOf({ event, data }: ReadEvent) {
  if (event !== "event") return undefined;
  const message = EntityEventsMessage.parse(data);
  return message.type === "event" ? message.event : undefined;
}

/** Whether an event tells of an entry of this terminal and type. */
export const isEntryOf =
  (id: string, type: string) =>
  (heard: ReadEvent): boolean => {
    const { payload } = envelopeOf(heard) ?? {};
    const entry = payload as TerminalRecordingEntry | undefined;
    return entry?.terminalId === id && entry.type === type;
  };

/** Types into a terminal. */
export const type = (rig: HttpRig, id: string, data: string) =>
  rig.ask("POST", `/api/terminals/${id}/input`, { body: { data } });

/** Everything that the store has of a terminal. */
export async function stored(rig: HttpRig, id: string): Promise<TerminalRecordingEntry[]> {
  const all: TerminalRecordingEntry[] = [];
  for (let after = 0; ;) {
    const path = `/api/terminals/${id}/recording?limit=1000&after=${after}`;
    const { body } = await rig.ask("GET", path);
    const page = body as { entries: TerminalRecordingEntry[]; truncated: boolean };
    all.push(...page.entries);
    if (!page.truncated) return all;
    after = all.at(-1)?.sequence ?? 0;
  }
}
