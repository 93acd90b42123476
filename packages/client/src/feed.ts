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

export type FeedOptions = Omit<TerminalFeedInput, "id"> & FollowOptions;

/** To its end: a snapshot, then every entry once and in order, across lost connections. */
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

  /** A feed that cannot resume begins with a snapshot. */
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
