import type { QuickCall } from "@nacre/client/quick";
import type { Command, TerminalId } from "@nacre/contracts";

/** Oldest first. */
export async function commandsOf(id: TerminalId, call: QuickCall): Promise<readonly Command[]> {
  const found: Command[] = [];
  for (let after: number | undefined; ;) {
    const page = await call("listCommands", {
      id,
      limit: 1000,
      ...(after === undefined ? {} : { after }),
    });
    found.push(...page.commands);
    after = page.nextAfter;
    if (after === undefined) return found;
  }
}
