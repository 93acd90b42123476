import { type LostReason, NacreError } from "@nacre/contracts";
import { adoptTerminal, type OrphanPty } from "../terminal/adopt-terminal.ts";
import type { TerminalDeps } from "../terminal/launch-terminal.ts";
import { parseAdoptedId } from "../terminal/memo.ts";
import { sealLost } from "../terminal/seal-lost.ts";
import type { Terminal } from "../terminal/terminal.ts";
import type { TerminalObserver } from "../terminal/terminal-observer.ts";

/** A thread that ended is started again after a second, and once more if it ended again. */
const RETRY_MS = 1000;
const MAX_TRIES = 3;

/** How a host goes on where another ended. */
export interface AdoptOptions {
  /** Why terminals whose program is gone are lost. */
  readonly lostReason: LostReason;
  readonly report: (error: unknown) => void;
}

/** How many terminals went on, how many programs nobody knew, and how many terminals were lost. */
export interface AdoptionCounts {
  readonly adopted: number;
  readonly ended: number;
  readonly lost: number;
}

/** What terminals are made with. */
interface AdoptContext {
  readonly workshop: TerminalDeps;
  readonly observer: TerminalObserver;
}

/** Goes on with everything that outlived another host, in the order of its creation. */
export async function adoptTerminals(
  context: AdoptContext,
  { lostReason, report }: AdoptOptions,
): Promise<Omit<AdoptionCounts, "adopted"> & { readonly terminals: readonly Terminal[] }> {
  const { driver, pipes, recordings } = context.workshop;
  const lists = await Promise.all(
    [driver, pipes].map(async (one) =>
      (await one.list()).map((running) => ({ driver: one, running })),
    ),
  );
  const leftovers = lists.flat();
  // One that cannot be had, such as for a broken recording, must not keep a host from its others.
  const settled = await Promise.allSettled(
    leftovers.map((one) => retryUnavailable(() => adoptOrEnd(one, context))),
  );
  for (const one of settled) if (one.status === "rejected") report(one.reason);
  const found = settled.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
  const terminals = found.filter((terminal) => terminal !== undefined);
  // Whoever could not be had now may be the next time.
  const except = new Set(
    leftovers.flatMap(({ running }, index) => {
      const one = settled[index];
      const isOver = one?.status === "fulfilled" && one.value === undefined;
      return isOver ? [] : (parseAdoptedId(running.memo) ?? []);
    }),
  );
  const seal = () => sealLost(recordings, { lostReason, report, except });
  const lost = await retryUnavailable(seal);
  const createdAt = ({ row }: Terminal): number => Date.parse(row.createdAt);
  return {
    terminals: terminals.toSorted((one, other) => createdAt(one) - createdAt(other)),
    ended: found.length - terminals.length,
    lost,
  };
}

/** Goes on with a terminal, or ends what belongs to none. */
async function adoptOrEnd(
  leftover: OrphanPty,
  context: AdoptContext,
): Promise<Terminal | undefined> {
  const terminal = await adoptTerminal(leftover, context);
  if (terminal) return terminal;
  const { driver, running } = leftover;
  await using _ = await driver.adopt(running.id, running.firstOffset);
  return undefined;
}

/** Does something, and again where a thread that it needs ended meanwhile: programs must not go without their terminals for that. */
async function retryUnavailable<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      const isAway = error instanceof NacreError && error.code === "unavailable";
      if (!isAway || tries === MAX_TRIES) throw error;
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }
}
