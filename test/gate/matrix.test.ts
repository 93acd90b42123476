// The whole gate of a real daemon, asked in every way: who gets in is told by a table and some lines that know nothing of its code.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { AGENT_HOST_PATHS } from "../../packages/host/src/auth/presented-credential.ts";
import { TERMINAL_SERVICE_PATH } from "../../packages/host/src/auth/server-guard.ts";
import { CONNECT_PATH } from "../../packages/host/src/transports/raw/raw-upgrades.ts";
import type { Answer } from "./answer.ts";
import { builtRoutes } from "./built-routes.ts";
import { type Cell, describeCell, wireOf } from "./cell.ts";
import { BLOCKS, cellsOf } from "./cells.ts";
import { expectationOf, problemWith } from "./expectation.ts";
import { EXPECTED_ROUTES, EXPECTED_UPGRADES } from "./expected-routes.ts";
import { GatedDaemon, type Wire } from "./gated-daemon.ts";

/** Fewer than the sockets without a credential that a host keeps, so that none has to give way. */
const AT_ONCE = 32;

/** So many of all cells go over the network too. */
const OVER_TCP = 1500;

/** What fails in one way fails in a thousand cells; some are enough to see which. */
const MAX_TOLD = 10;

const BLOCK_MS = 60_000;

const SCOPES = {
  everybody: [],
  callers: ["agent", "operator", "readOnly"],
  changers: ["agent", "operator"],
  operators: ["operator"],
  watchers: ["operator", "readOnly"],
};

let daemon: GatedDaemon;
let cells: ReturnType<typeof cellsOf>;

beforeAll(async () => {
  daemon = await GatedDaemon.open();
  cells = cellsOf(daemon.port);
});

afterAll(() => daemon[Symbol.asyncDispose]());

describe("every route is in the table", () => {
  test("with who may ask for it, and whether it changes anything", () => {
    const built = builtRoutes().map(({ method, path, access, scopes, mutates }) => ({
      address: `${method} ${path}`,
      access,
      scopes: scopes.toSorted(byName),
      mutates,
    }));
    const expected = EXPECTED_ROUTES.map(({ method, path, audience, mutates }) => ({
      address: `${method} ${path}`,
      access: audience === "everybody" ? "public" : "credential",
      scopes: SCOPES[audience],
      mutates,
    }));
    expect(built.toSorted(byAddress)).toEqual(expected.toSorted(byAddress));
  });

  test("and so is every address of a WebSocket", () => {
    expect([CONNECT_PATH, TERMINAL_SERVICE_PATH, ...AGENT_HOST_PATHS]).toEqual(
      EXPECTED_UPGRADES.map(({ path }) => path),
    );
  });
});

describe("every cell is answered as it must be, and what is refused changes nothing", () => {
  test.each(BLOCKS)("by every %s", { timeout: BLOCK_MS }, async (block) => {
    const state = await daemon.state();
    const outcome = await askAll(cells[block], (wire) => daemon.ask(wire));
    expect(outcome).toEqual({ problems: [], state });
  });

  test("and over the network as well", { timeout: BLOCK_MS }, async () => {
    const all = BLOCKS.flatMap((block) => cells[block]);
    expect(all.length).toBeGreaterThan(20_000);
    const every = Math.floor(all.length / OVER_TCP);
    const some = all.filter((_, at) => at % every === 0);
    const state = await daemon.state();
    const outcome = await askAll(some, (wire) => daemon.askOverTcp(wire));
    expect(outcome).toEqual({ problems: [], state });
  });
});

/** Asks all, some at a time; tells what was wrong with the answers, and what there is then. */
async function askAll(asked: readonly Cell[], ask: (wire: Wire) => Promise<Answer>) {
  const problems: string[] = [];
  const refusals = new Set<string>();
  const left = asked.values();
  const askSome = async (): Promise<void> => {
    for (const cell of left) {
      const expectation = expectationOf(cell);
      const named = { terminalId: daemon.terminalId, isThere: !expectation.mayAct };
      const answer = await ask(wireOf(cell, daemon.secrets, named));
      const problem = problemWith(answer, cell, expectation);
      if (problem !== undefined) problems.push(`${describeCell(cell)}: ${problem}`);
      if (answer.status === 401 && cell.method !== "HEAD") refusals.add(answer.body);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, askSome));
  // Who has no credential learns nothing from what is said, so that it is always the same.
  if (refusals.size > 1) problems.push(`refusals differ: ${[...refusals].join()}`);
  return { problems: problems.slice(0, MAX_TOLD), state: await daemon.state() };
}

const byName = (one: string, other: string): number => (one < other ? -1 : 1);
const byAddress = (one: { readonly address: string }, other: { readonly address: string }) =>
  byName(one.address, other.address);
