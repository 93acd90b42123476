import { setImmediate as turn } from "node:timers/promises";
import { CommandId } from "@nacre/contracts";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { TerminalState } from "../protocol/state.ts";
import { reduceTerminalActions } from "../protocol/reducer.ts";
import type { Envelope } from "./envelope.ts";
import type { TerminalChannel } from "./terminal-channel.ts";
import { FakeHost, Listener } from "./testing/fake-host.ts";
import { FakeTerminal } from "./testing/fake-terminal.ts";

/** A client that keeps its mirror over any number of connections, by what it missed or from snapshots. */
class Client {
  readonly #channel: TerminalChannel;
  #listener: Listener | undefined;
  #state: TerminalState | undefined;
  #seen = 0;
  replays = 0;
  #isPreparing = false;

  constructor(channel: TerminalChannel) {
    this.#channel = channel;
  }

  async connect(): Promise<void> {
    if (this.#listener) return;
    const listener = new Listener();
    this.#listener = listener;
    const missed = this.#state && this.#channel.after(this.#seen);
    if (missed) {
      this.replays++;
      this.#apply(missed);
      this.#channel.join(listener);
      return;
    }
    this.#isPreparing = true;
    using prepared = await this.#channel.prepare();
    this.#isPreparing = false;
    const { state, fromSeq } = prepared.take(listener.audience);
    this.#channel.join(listener);
    // The newest shape is the one that is asked for.
    this.#state = state as TerminalState;
    this.#seen = fromSeq;
  }

  /** Leaves, having read only some of what it was told. */
  disconnect(unread: number): void {
    const listener = this.#listener;
    if (!listener || this.#isPreparing) return;
    this.#channel.leave(listener);
    this.#listener = undefined;
    const read = Math.max(0, listener.told.length - unread);
    this.#apply(listener.told.slice(0, read).map(({ envelope }) => envelope));
  }

  get state(): TerminalState | undefined {
    this.#apply(this.#listener?.told.splice(0).map(({ envelope }) => envelope) ?? []);
    return this.#state;
  }

  #apply(envelopes: readonly Envelope[]): void {
    for (const { serverSeq, action } of envelopes) {
      if (serverSeq <= this.#seen) throw new Error(`${serverSeq} came after ${this.#seen}`);
      this.#seen = serverSeq;
      this.#state = this.#state && reduceTerminalActions(this.#state, [action], "lifecycle");
    }
  }
}

const turns = async (count: number): Promise<void> => {
  for (let index = 0; index < count; index++) await turn();
};

const commandId = CommandId.parse("c1");
const someone = fc.nat({ max: 2 });
const step = fc.oneof(
  fc.record({ kind: fc.constant("write" as const), text: fc.string({ maxLength: 4 }) }),
  fc.record({ kind: fc.constantFrom("command", "commandEnd", "clear", "title", "turn" as const) }),
  fc.record({ kind: fc.constant("reading" as const), before: someone, after: someone }),
  fc.record({ kind: fc.constant("connect" as const), who: someone }),
  fc.record({ kind: fc.constant("disconnect" as const), who: someone, unread: someone }),
);
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

async function take(step: Step, terminal: FakeTerminal, clients: readonly Client[]): Promise<void> {
  switch (step.kind) {
    case "write":
      return terminal.write(step.text);
    case "command":
      return terminal.append({ type: "command", commandId, commandLine: "ls", quality: "exact" });
    case "commandEnd":
      return terminal.append({ type: "commandEnd", commandId, endedBy: "marker" });
    case "clear":
      return terminal.append({ type: "clear" });
    case "title":
      return terminal.append({ type: "title", title: `at ${terminal.lastSequence}` });
    case "turn":
      return await turn();
    case "reading":
      terminal.beforeReading = turns(step.before);
      terminal.afterReading = turns(step.before + step.after);
      return undefined;
    case "connect":
      void clients[step.who]?.connect();
      return undefined;
    case "disconnect":
      return clients[step.who]?.disconnect(step.unread);
  }
}

test("whenever clients come and go, each has everything exactly once", async () => {
  let replays = 0;
  const property = fc.asyncProperty(
    fc.array(step, { maxLength: 60, size: "max" }),
    fc.constantFrom(1500, 1_000_000),
    async (steps, historyBytes) => {
      const terminal = new FakeTerminal("t1");
      using host = new FakeHost({ historyBytes, leastHistoryBytes: 0 }, [terminal]);
      const { context, audience } = new Listener();
      const channel = await host.agentHost.openTerminal("ahp-terminal:/t1", context);
      const clients = Array.from({ length: 3 }, () => new Client(channel));
      for (const one of steps) await take(one, terminal, clients);
      await turns(6);
      await Promise.all(clients.map((client) => client.connect()));
      using prepared = await channel.prepare();
      const { state } = prepared.take(audience);
      for (const client of clients) expect(client.state).toEqual(state);
      replays += clients.reduce((sum, client) => sum + client.replays, 0);
      expect(host.problems).toEqual([]);
    },
  );
  await fc.assert(property, { numRuns: 500 });
  expect(replays).toBeGreaterThan(0);
});
