import type { ChildProcess } from "node:child_process";
import { once } from "node:events";

/** Fails when a viewer ends: whoever waits for what it tells would wait for ever. */
export async function tooEarly(viewer: ChildProcess): Promise<never> {
  await once(viewer, "exit");
  throw new Error("a viewer ended before it had everything");
}

export const isOfKind = <Told extends { readonly kind: string }, Kind extends Told["kind"]>(
  told: Told,
  kind: Kind,
): told is Extract<Told, { readonly kind: Kind }> => told.kind === kind;
