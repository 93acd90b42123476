import { NacreError } from "@nacre/contracts/error";

export const ownTerminal = (): string | undefined => process.env["NACRE_TERMINAL_ID"] || undefined;

/** Refuses to show a terminal inside itself: its output would be written again and again. */
export function requireOther(id: string, verb: string): void {
  if (id !== ownTerminal()) return;
  throw new NacreError("conflict", `this runs in ${id}: ${verb} would show it inside itself`, {
    field: "terminal",
    suggestion: "Name another terminal, or run it outside of Nacre's terminals.",
  });
}
