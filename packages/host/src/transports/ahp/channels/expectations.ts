import type { TerminalAction } from "../protocol/action.ts";
import type { Origin } from "./envelope.ts";

/** An accepted action that is being done, until it is told with its origin. */
export interface Expectation {
  /** It is done: resolves when it was told, by its entry or alone. */
  settle(): Promise<void>;
  /** It was not done: nothing is told of it any more; false when it was told already. */
  cancel(): boolean;
}

/** Actions that clients asked for and that entries will tell of, in the order they were asked for. */
export class Expectations {
  readonly #waiting = new Set<ExpectedAction>();

  add(action: TerminalAction, origin: Origin): ExpectedAction {
    const expected = { action, origin };
    this.#waiting.add(expected);
    return expected;
  }

  /** Whether it is not told yet; from then on it is waited for no longer. */
  remove(expected: ExpectedAction): boolean {
    return this.#waiting.delete(expected);
  }

  /** Whoever asked for what an entry tells now; each is found once. */
  take(action: TerminalAction, isByCaller: boolean): Origin | undefined {
    for (const expected of this.#waiting) {
      if (!matchesExpected(action, expected.action, isByCaller)) continue;
      this.#waiting.delete(expected);
      return expected.origin;
    }
    return undefined;
  }
}

/** An action and who asked for it. */
export interface ExpectedAction {
  readonly action: TerminalAction;
  readonly origin: Origin;
}

/** Whether an action of an entry is what was asked for. */
function matchesExpected(
  action: TerminalAction,
  wanted: TerminalAction,
  isByCaller: boolean,
): boolean {
  if (action.type === "terminal/titleChanged" && wanted.type === action.type) {
    // A name that is taken away leaves another title, whichever that is.
    return wanted.title === action.title || (wanted.title === "" && isByCaller);
  }
  if (action.type === "terminal/resized" && wanted.type === action.type) {
    return wanted.cols === action.cols && wanted.rows === action.rows;
  }
  if (action.type === "terminal/claimed" && wanted.type === action.type) {
    return isSameClaim(action.claim, wanted.claim);
  }
  return action.type === "terminal/cleared" && wanted.type === action.type;
}

type WireClaim = Extract<TerminalAction, { type: "terminal/claimed" }>["claim"];

function isSameClaim(one: WireClaim, other: WireClaim): boolean {
  if (one.kind === "client" || other.kind === "client") {
    return one.kind === "client" && other.kind === "client" && one.clientId === other.clientId;
  }
  return (
    one.session === other.session &&
    one.chat === other.chat &&
    one.turnId === other.turnId &&
    one.toolCallId === other.toolCallId
  );
}
