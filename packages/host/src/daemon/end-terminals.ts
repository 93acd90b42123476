import { LOCAL_CALLER } from "../host.ts";
import type { Registry } from "../registry/registry.ts";

/** How terminals are ended. */
export interface EndTerminalsOptions {
  /** How long programs have to end by themselves. */
  readonly graceMs: number;
  /** One could not be asked to end; it is ended all the same. */
  readonly report: (error: unknown) => void;
}

/** Asks all programs to end, ends those that do not in time, and resolves when how they ended is recorded. */
export async function endTerminals(
  registry: Registry,
  { graceMs, report }: EndTerminalsOptions,
): Promise<void> {
  const running = registry.list().filter(({ isRunning }) => isRunning);
  await Promise.all(running.map((terminal) => terminal.kill(LOCAL_CALLER, graceMs).catch(report)));
  await registry[Symbol.asyncDispose]();
}
