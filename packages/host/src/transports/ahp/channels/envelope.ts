import type { CallerId, ClientId } from "@nacre/contracts";
import type { Action } from "../protocol/action.ts";
import { ClientNames } from "../protocol/client-names.ts";
import { shapeAction } from "../protocol/shaping.ts";
import type { StateDialect } from "../protocol/version.ts";

/** Server sequence over all channels. */
export class ServerSeq {
  #last = 1;

  /** 1 before any, as clients take 0 for having seen nothing. */
  get last(): number {
    return this.#last;
  }

  next(): number {
    return ++this.#last;
  }
}

/** The version decides the shape, the caller how clients are named. */
export interface Audience {
  readonly shape: StateDialect;
  readonly callerId: CallerId;
}

export interface Origin {
  /** As the host names it. */
  readonly clientId: ClientId;
  readonly clientSeq: number;
}

/** As the client spelled it; of any type. */
export interface RawAction {
  readonly type: string;
}

export interface EnvelopeFields {
  readonly serverSeq: number;
  /** As the host names it. */
  readonly channel: string;
  /** The terminal's newest entry; 0 on the root. */
  readonly sequence: number;
  readonly action: Action | RawAction;
  readonly origin?: Origin | undefined;
  /** Set when the action was refused; it is then spelled as its client did. */
  readonly rejectionReason?: string | undefined;
  /** For one client only. */
  readonly isOwn?: boolean | undefined;
}

const HEAD = '{"jsonrpc":"2.0","method":"action","params":';
const TAIL = "}";
const CHANNEL_HEAD = '{"channel":';

/** Approximate overhead. */
const ENVELOPE_BYTES = 256;

/** One numbered action, serialised once for all who read it the same way. */
export class Envelope {
  readonly serverSeq: number;
  readonly channel: string;
  readonly sequence: number;
  readonly origin: Origin | undefined;
  readonly rejectionReason: string | undefined;
  readonly isOwn: boolean;
  readonly bytes: number;
  /** Shared by all; the action itself is not kept beside it. */
  readonly #shared: Buffer | undefined;
  readonly #action: Action | RawAction | undefined;
  /** For audiences that read it differently. */
  #frames: Map<string, Buffer> | undefined;

  constructor(parts: EnvelopeFields) {
    const { serverSeq, channel, sequence, action, origin, rejectionReason, isOwn = false } = parts;
    this.serverSeq = serverSeq;
    this.channel = channel;
    this.sequence = sequence;
    this.origin = origin;
    this.rejectionReason = rejectionReason;
    this.isOwn = isOwn;
    if (origin === undefined && isSameForAll(action)) {
      this.#shared = this.#serialize(JSON.stringify(action), undefined);
      this.bytes = ENVELOPE_BYTES + this.#shared.byteLength;
    } else {
      this.#action = action;
      // The action plus one frame of it.
      const length =
        JSON.stringify(action).length + channel.length + (rejectionReason?.length ?? 0);
      this.bytes = ENVELOPE_BYTES + 2 * length;
    }
  }

  /** In the newest shape; of a rejection, what the client asked for. */
  get action(): Action | RawAction {
    if (this.#action) return this.#action;
    // Written by this class itself.
    const { action } = JSON.parse(this.#paramsOf(this.#sharedFrame).toString()) as {
      action: Action;
    };
    return action;
  }

  /** Under the name by which its reader knows the channel. */
  frame(audience: Audience, channel = this.channel): Buffer {
    const frame = this.#shared ?? this.#frameFor(audience);
    return channel === this.channel ? frame : this.#withChannel(frame, channel);
  }

  /** For lists of envelopes. */
  params(audience: Audience, channel = this.channel): Buffer {
    return this.#paramsOf(this.frame(audience, channel));
  }

  get #sharedFrame(): Buffer {
    if (!this.#shared) throw new Error(`envelope ${this.serverSeq} is not spelled alike for all`);
    return this.#shared;
  }

  #frameFor({ shape, callerId }: Audience): Buffer {
    const key = `${shape} ${callerId}`;
    const known = this.#frames?.get(key);
    if (known) return known;
    const names = new ClientNames(callerId);
    // Anything but a rejection was made here, in the newest shape.
    const action =
      this.rejectionReason === undefined
        ? shapeAction(this.action as Action, shape, names)
        : this.action;
    const origin = this.origin && {
      clientId: names.toWire(this.origin.clientId),
      clientSeq: this.origin.clientSeq,
    };
    const frame = this.#serialize(JSON.stringify(action), origin);
    this.#frames ??= new Map();
    this.#frames.set(key, frame);
    return frame;
  }

  #serialize(action: string, origin: object | undefined): Buffer {
    const about =
      (origin ? `,"origin":${JSON.stringify(origin)}` : "") +
      (this.rejectionReason === undefined
        ? ""
        : `,"rejectionReason":${JSON.stringify(this.rejectionReason)}`);
    const channel = CHANNEL_HEAD + JSON.stringify(this.channel);
    const rest = `,"serverSeq":${this.serverSeq}${about},"action":${action}}`;
    return Buffer.from(HEAD + channel + rest + TAIL);
  }

  #paramsOf(frame: Buffer): Buffer {
    return frame.subarray(HEAD.length, frame.byteLength - TAIL.length);
  }

  #withChannel(frame: Buffer, channel: string): Buffer {
    const head = HEAD.length + CHANNEL_HEAD.length;
    const named = Buffer.byteLength(JSON.stringify(this.channel));
    return Buffer.concat([
      frame.subarray(0, head),
      Buffer.from(JSON.stringify(channel)),
      frame.subarray(head + named),
    ]);
  }
}

const isSameForAll = ({ type }: RawAction): boolean =>
  type !== "terminal/claimed" && type !== "root/terminalsChanged";
