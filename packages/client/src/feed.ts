import {
  parse,
  SUBSCRIPTIONS,
  type TerminalFeedInput,
  TerminalFeedMessage,
} from "@nacre/contracts";
import { readAnswer } from "./failure.ts";
import {
  type Feed,
  follow,
  type Following,
  type FollowOptions,
  type FollowWire,
} from "./follow.ts";
import { encodeQuery, fillPath } from "./http-wire.ts";
import type { SseEvent } from "./sse.ts";

const { http, input: Input } = SUBSCRIPTIONS.terminalFeed;

/** From where to follow a Terminal, and how. */
export type FeedOptions = Omit<TerminalFeedInput, "id"> & FollowOptions;

/** Follows a Terminal to its end: a snapshot, then every entry after it once and in order, over lost connections too. */
export function followTerminal(
  over: FollowWire,
  id: string,
  { after, view, ...options }: FeedOptions = {},
): Following<TerminalFeedMessage> {
  return follow(over, new TerminalFeed(parse(Input, { id, after, view })), options);
}

class TerminalFeed implements Feed<TerminalFeedMessage> {
  readonly #input: TerminalFeedInput;
  #sequence: number | undefined;

  constructor(input: TerminalFeedInput) {
    this.#input = input;
    this.#sequence = input.after;
  }

  request() {
    const { path, rest } = fillPath(http.path, { ...this.#input, after: this.#sequence });
    return { path: path + encodeQuery(rest) };
  }

  /** A feed that cannot continue begins with a snapshot, which says all there is to say. */
  connected(): readonly TerminalFeedMessage[] {
    return [];
  }

  read({ data }: SseEvent): readonly TerminalFeedMessage[] {
    const message = readAnswer(TerminalFeedMessage, JSON.parse(data));
    if (message.kind === "snapshot") {
      this.#sequence = message.screen.sequence;
      return [message];
    }
    const { sequence } = message.entry;
    if (this.#sequence !== undefined && sequence <= this.#sequence) return [];
    this.#sequence = sequence;
    return [message];
  }
}
