// Listeners written by hand against the wire, which break their connections themselves.
import { get, type IncomingMessage } from "node:http";
import type { NacreClient } from "@nacre/client";
import {
  EntityEventsMessage,
  TerminalFeedMessage,
  type TerminalId,
  TerminalRecordingEntrySchema,
} from "@nacre/contracts";
import { WebSocket } from "ws";
import type { DaemonProcess } from "../support/daemon-process.ts";
import { recordedAfter } from "../support/numbered-lines.ts";
import type { Random } from "../support/random.ts";
import { randomLength } from "./random-length.ts";
import {
  type Happenings,
  HeardEntries,
  type Listener,
  ShownBytes,
  startListener,
} from "./listener.ts";

/** What a listener is made with. */
export interface OwnListenerParts {
  readonly daemon: DaemonProcess;
  /** Over connections that last. */
  readonly direct: NacreClient;
  readonly id: TerminalId;
  readonly random: Random;
  /** Whether connections are broken now. */
  readonly isCutting: () => boolean;
  /** Resolves when it may come back. */
  readonly mayComeBack?: () => Promise<void>;
}

/** One event as it came. */
interface Told {
  readonly event: string;
  readonly data: string;
}

/** Tells what a server sends as events over connections that it breaks itself, each continued by the id it had last; ends with the event `end`. */
async function* ownEvents(
  { daemon, random, isCutting, mayComeBack }: OwnListenerParts,
  path: string,
  happenings: Pick<Happenings, "connected" | "cut">,
): AsyncGenerator<Told> {
  let lastId: string | undefined;
  for (;;) {
    const headers = {
      authorization: `Bearer ${daemon.token}`,
      ...(lastId === undefined ? {} : { "last-event-id": lastId }),
    };
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      get({ host: "127.0.0.1", port: daemon.port, path, headers, agent: false }, resolve).on(
        "error",
        reject,
      );
    });
    if (response.statusCode !== 200) throw new Error(`${path}: ${response.statusCode}`);
    let left = randomLength(random);
    let text = "";
    try {
      for await (const chunk of response.setEncoding("latin1")) {
        happenings.connected();
        text += String(chunk).slice(0, isCutting() ? left : undefined);
        if (isCutting()) left -= String(chunk).length;
        const blocks = text.split("\n\n");
        text = blocks.pop() ?? "";
        for (const block of blocks) {
          lastId = /^id: (.*)$/m.exec(block)?.[1] ?? lastId;
          const event = /^event: (.*)$/m.exec(block)?.[1] ?? "";
          const data = Buffer.from(/^data: (.*)$/m.exec(block)?.[1] ?? "", "latin1").toString();
          if (event === "end") return;
          if (event !== "connected" && event !== "") yield { event, data };
        }
        if (left <= 0 && isCutting()) break;
      }
    } catch (error) {
      if (!isBroken(error)) throw error;
    } finally {
      response.socket.destroy();
    }
    happenings.cut();
    await mayComeBack?.();
  }
}

const isBroken = (error: unknown): boolean =>
  error instanceof Error &&
  "code" in error &&
  ["ECONNRESET", "ERR_STREAM_PREMATURE_CLOSE"].includes(String(error.code));

/** Hears events by hand, of the one terminal or of all of them. */
export function ownEventListener(parts: OwnListenerParts, channel: string): Listener {
  const { direct, id } = parts;
  const heard = new HeardEntries();
  return startListener({
    name: `events of ${channel === id ? "one terminal" : "all terminals"} by hand`,
    check: (name, terminal) => heard.check(name, terminal),
    listen: async (happenings) => {
      const path = `/api/events?channel=${encodeURIComponent(`${channel}.recordingEntry.appended`)}`;
      for await (const { data } of ownEvents(parts, path, happenings)) {
        const message = EntityEventsMessage.parse(JSON.parse(data));
        if (message.type === "resync") {
          happenings.resync();
          heard.catchUp(await recordedAfter(direct, id, heard.last));
        } else {
          const entry = TerminalRecordingEntrySchema.parse(message.event.payload);
          if (entry.terminalId === id) heard.add(entry);
        }
        if (heard.isOver) return;
      }
    },
  });
}

/** Follows the feed of a terminal by hand. */
export function ownFeedListener(parts: OwnListenerParts): Listener {
  const { direct, id } = parts;
  const heard = new HeardEntries();
  return startListener({
    name: "feed by hand",
    check: (name, terminal) => heard.check(name, terminal),
    listen: async (happenings) => {
      const path = `/api/terminals/${id}/feed?after=0`;
      for await (const { data } of ownEvents(parts, path, happenings)) {
        const message = TerminalFeedMessage.parse(JSON.parse(data));
        if (message.kind === "entry") {
          heard.add(message.entry);
          continue;
        }
        happenings.resync();
        const missed = await recordedAfter(direct, id, heard.last);
        heard.catchUp(missed.filter(({ sequence }) => sequence <= message.screen.sequence));
      }
    },
  });
}

/** Watches the raw socket of a terminal by hand. */
export function ownRawListener(parts: OwnListenerParts): Listener {
  const shown = new ShownBytes();
  return startListener({
    name: "raw socket by hand",
    check: (name, terminal) => shown.check(name, terminal),
    listen: async (happenings) => {
      while (!(await rawConnection(parts, shown, happenings))) happenings.cut();
    },
  });
}

/** One connection; resolves with whether the end was told. */
function rawConnection(
  { daemon, id, random, isCutting }: OwnListenerParts,
  shown: ShownBytes,
  happenings: Pick<Happenings, "connected" | "resync">,
): Promise<boolean> {
  const { port, token } = daemon;
  const address = `ws://127.0.0.1:${port}/api/terminals/${id}/connect?control=1&cursor=${shown.last}`;
  const socket = new WebSocket(address, { headers: { authorization: `Bearer ${token}` } });
  let left = randomLength(random);
  let held: Uint8Array[] = [];
  let isSnapshot = false;
  let isEnded = false;
  const control = (text: string): void => {
    const { type, sequence } = JSON.parse(text) as { type: string; sequence: number };
    if (type === "snapshot") isSnapshot = true;
    if (type === "exit") isEnded = true;
    if (type !== "cursor") return;
    if (isSnapshot) {
      happenings.resync();
      shown.restart(sequence);
    } else {
      shown.add(Buffer.concat(held), sequence);
    }
    held = [];
    isSnapshot = false;
  };
  return new Promise((resolve, reject) => {
    socket.on("open", () => happenings.connected());
    socket.on("message", (data: Buffer, isBinary: boolean) => {
      if (isCutting() && left <= 0) return;
      if (isCutting()) left -= data.length;
      if (isBinary) held.push(data);
      else control(data.toString());
      if (isCutting() && left <= 0) socket.terminate();
    });
    socket.on("error", reject);
    socket.on("close", () => resolve(isEnded));
  });
}
