import { NacreError } from "@nacre/contracts/error";

/** The terminal in which this program runs, where it runs in one. */
export const ownTerminal = (): string | undefined => process.env["NACRE_TERMINAL_ID"] || undefined;

/** Refuses to show a terminal inside itself: everything shown would be written again, without an end. */
export function requireOther(id: string, verb: string): void {
  if (id !== ownTerminal()) return;
  throw new NacreError("conflict", `this is ${id} itself: ${verb} would show it inside itself`, {
    field: "terminal",
    suggestion: "Name another terminal, or run it outside of Nacre's terminals.",
  });
}
