// Random histories of a terminal, seen by one client of every shape at once.
import assert from "node:assert/strict";
import fc from "fast-check";
import { reduceTerminalActions } from "../../packages/host/src/transports/ahp/protocol/reducer.ts";
import type { TerminalState as HostState } from "../../packages/host/src/transports/ahp/protocol/state.ts";
import { type StateDialect } from "../../packages/host/src/transports/ahp/protocol/version.ts";
import { type AhpClient, ROOT } from "../support/ahp-client.ts";
import type { RootState, Snapshot } from "../support/ahp-mirror.ts";
import type { Run } from "../support/target.ts";
import { type History, histories, printLine, type Step } from "./history-steps.ts";
import { AhpRig } from "./ahp-rig.ts";

/** A version of every shape that states have had. */
const SHAPES = { "1.0.0": "lifecycle", "0.7.0": "isPty", "0.5.0": "exitCode" } as const;

const SESSION = "ahp-session:/history";

/** Plays random histories; throws with the first one after which a mirror is not what a fresh snapshot says. */
export async function compareHistories(
  count: number,
  { seed, progress }: Pick<Run, "seed" | "progress">,
): Promise<string> {
  await using rig = await AhpRig.open();
  let played = 0;
  let looks = 0;
  const property = fc.asyncProperty(histories, async (history) => {
    looks += await play(rig, history);
    progress((played += 1), count);
  });
  // Each history takes a shell: a smaller one that fails too is not worth the wait.
  await fc.assert(property, { numRuns: count, seed, endOnFailure: true });
  assert.deepEqual(rig.failures, []);
  return `${played} histories, ${looks} looks of clients of three shapes: each mirror was what a fresh snapshot said`;
}

/** Plays one history; how often clients compared. */
async function play(rig: AhpRig, { steps, exitCode }: History): Promise<number> {
  using stack = new DisposableStack();
  const versions = Object.keys(SHAPES);
  const clients = await Promise.all(
    versions.map((version) => rig.client({ versions: [version], subscriptions: [ROOT] })),
  );
  for (const client of clients) stack.use(client);
  const [first] = clients;
  assert.ok(first);
  const channel = await rig.shell(first);
  const viewers = await Promise.all(
    clients.map(async (client, at) => {
      const shape = Object.values(SHAPES)[at];
      assert.ok(shape);
      return new Viewer(client, shape, await client.subscribe(channel));
    }),
  );
  for (const step of steps) await take(step, viewers);
  first.type(channel, "echo 'the'' end'\r");
  await Promise.all(clients.map((client) => client.untilText(channel, "the end\r\n")));
  await Promise.all(viewers.map((viewer) => viewer.look()));
  if (exitCode !== undefined) {
    first.type(channel, `exit ${exitCode}\r`);
    await Promise.all(clients.map((client) => client.untilAction(channel, "terminal/exited")));
    await Promise.all(viewers.map((viewer) => viewer.look()));
  }
  await first.disposeTerminal(channel);
  return viewers.reduce((sum, { looks }) => sum + looks, 0);
}

/** Does one step; does not wait for what it causes. */
async function take(step: Step, viewers: readonly Viewer[]): Promise<void> {
  const viewer = viewers[step.by];
  assert.ok(viewer);
  switch (step.does) {
    case "print":
      return viewer.type(`${printLine(step.pieces, step.cut)}\r`);
    case "lines":
      return viewer.type(`seq ${step.count}\r`);
    case "fail":
      return viewer.type(`(exit ${step.exitCode})\r`);
    case "cd":
      return viewer.type(`cd ${step.to}\r`);
    case "type":
      return viewer.type(step.keys);
    case "resize":
      return viewer.dispatch({ type: "terminal/resized", cols: step.cols, rows: step.rows });
    case "rename":
      return viewer.dispatch({ type: "terminal/titleChanged", title: step.title });
    case "clear":
      return viewer.dispatch({ type: "terminal/cleared" });
    case "claim":
      return viewer.dispatch({ type: "terminal/claimed", claim: claimFor(step, viewers) });
    case "look":
      return await viewer.look();
  }
}

function claimFor(
  { by, for: whom }: Extract<Step, { does: "claim" }>,
  viewers: readonly Viewer[],
): object {
  const clientAt = (at: number): object => {
    const clientId = viewers[at % viewers.length]?.client.clientId;
    return { kind: "client", clientId };
  };
  const session = { kind: "session", session: SESSION, chat: SESSION };
  if (whom === "own") return clientAt(by);
  if (whom === "other") return clientAt(by + 1);
  return whom === "turn" ? { ...session, turnId: "turn-1", toolCallId: "call-1" } : session;
}

/** A client that follows a terminal from a snapshot on. */
class Viewer {
  readonly client: AhpClient;
  /** How often it compared. */
  looks = 0;
  readonly #shape: StateDialect;
  readonly #start: Snapshot;

  constructor(client: AhpClient, shape: StateDialect, start: Snapshot) {
    this.client = client;
    this.#shape = shape;
    this.#start = start;
  }

  type(keys: string): void {
    this.client.type(this.#start.resource, keys);
  }

  dispatch(action: object): void {
    this.client.dispatch(this.#start.resource, action);
  }

  /** Throws unless its mirrors, and what the host's own rules make of all actions, are what fresh snapshots say. */
  async look(): Promise<void> {
    const { resource } = this.#start;
    const terminal = await this.client.compare(resource);
    assert.deepStrictEqual(terminal.mirrored, terminal.fresh);
    const root = await this.client.compare<RootState>(ROOT);
    assert.deepStrictEqual(root.mirrored, root.fresh);
    const { state, fromSeq } = await this.client.subscribe(resource);
    const actions = this.client
      .envelopesOf(resource)
      .filter(
        ({ serverSeq, rejectionReason }) =>
          serverSeq > this.#start.fromSeq && serverSeq <= fromSeq && rejectionReason === undefined,
      )
      .map(({ action }) => action);
    const folded = reduceTerminalActions(this.#start.state as HostState, actions, this.#shape);
    assert.deepStrictEqual(folded, state);
    this.looks += 1;
  }
}
