import { expect, test } from "vitest";
import { type FeedSource, TerminalSubscription } from "./subscription.ts";
import { type Waitable, waitFor } from "./wait.ts";

/** A terminal of which so many entries were told, and that needs input since one of them. */
function needing(lastSequence: number, since: number): Waitable {
  const source: FeedSource = {
    lastSequence,
    isOver: false,
    snapshot: () => expect.fail("nobody asked for a snapshot"),
    readAfter: () => Promise.resolve([]),
  };
  const needed = { kind: "line", since: "2026-01-31T09:30:00.000Z" } as const;
  return {
    lastSequence,
    status: {},
    waitStatus: { inputNeeded: { sequence: since, needed } },
    subscribe: (options) => new TerminalSubscription(source, options, {}),
    onChange: () => ({ [Symbol.dispose]: () => undefined }),
    commands: { find: () => Promise.resolve(undefined) },
    reader: { readScreen: () => expect.fail("nobody asked for the screen") },
  };
}

test.each([
  ["from the beginning on, though nothing was recorded then", 0, 0, 0, "inputNeeded"],
  ["since an entry behind which somebody looks", 3, 3, 2, "inputNeeded"],
  ["since an entry that is known", 3, 3, 3, "timeout"],
])("what is needed %s", async (_, lastSequence, since, after, outcome) => {
  const input = { until: [{ kind: "inputNeeded" }], after, timeoutMs: 20 } as const;
  expect(
    await waitFor(needing(lastSequence, since), { ...input, until: [...input.until] }),
  ).toMatchObject({ outcome });
});
