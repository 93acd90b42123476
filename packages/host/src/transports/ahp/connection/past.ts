import type { ClientRecord } from "../channels/client-record.ts";
import type { Audience } from "../channels/envelope.ts";
import { ROOT_URI } from "../protocol/uri.ts";
import type { NamedChannel } from "./channel-opener.ts";

/** What a client that comes back missed is collected with. */
export interface MissedActionsDeps {
  readonly record: ClientRecord;
  /** The last number given. */
  readonly serverSeq: number;
  readonly audience: Audience;
  readonly maxBytes: number;
}

interface MissedAction {
  readonly serverSeq: number;
  readonly params: Buffer;
}

/** What a client that comes back missed, as long as it is kept and not too much. */
export class MissedActions {
  readonly #deps: MissedActionsDeps;
  #remainingBytes: number;

  constructor(parts: MissedActionsDeps) {
    this.#deps = parts;
    this.#remainingBytes = parts.maxBytes;
  }

  /**
   * The params of everything after a number on some channels, in order; nothing when it cannot all be told. Of what
   * concerned the client alone, rejections on channels that are gone by now are told too.
   */
  after(
    serverSeq: number,
    channels: readonly NamedChannel[],
    gone: readonly string[] = [],
  ): readonly Buffer[] | undefined {
    const { record, serverSeq: last, audience } = this.#deps;
    if (serverSeq > last || serverSeq < record.resyncedTo) return undefined;
    const own = record.after(serverSeq);
    if (!own) return undefined;
    // What a snapshot has already would come twice; only lists can.
    const isTwice = channels.some(
      ({ uri }) => uri !== ROOT_URI && record.hasNewerSnapshot(uri, serverSeq),
    );
    if (isTwice) return undefined;
    const missed: MissedAction[] = [];
    const names = new Set(channels.map(({ uri }) => uri));
    for (const { uri, channel } of channels) {
      const told = channel.after(serverSeq);
      if (!told) return undefined;
      // What the client does not ask for by its first name comes under the one it asks for.
      const about = own.filter(
        (envelope) =>
          envelope.channel === uri ||
          (envelope.channel === channel.uri && !names.has(envelope.channel)),
      );
      for (const envelope of [...told, ...about]) {
        missed.push({ serverSeq: envelope.serverSeq, params: envelope.params(audience, uri) });
      }
    }
    for (const envelope of own.filter(({ channel }) => gone.includes(channel))) {
      missed.push({ serverSeq: envelope.serverSeq, params: envelope.params(audience) });
    }
    return this.#fits(missed) ? sortBySeq(missed) : undefined;
  }

  #fits(missed: readonly MissedAction[]): boolean {
    const bytes = missed.reduce((sum, { params }) => sum + params.byteLength, 0);
    if (bytes > this.#remainingBytes) return false;
    this.#remainingBytes -= bytes;
    return true;
  }
}

const sortBySeq = (missed: readonly MissedAction[]): readonly Buffer[] =>
  missed.toSorted((one, other) => one.serverSeq - other.serverSeq).map(({ params }) => params);
