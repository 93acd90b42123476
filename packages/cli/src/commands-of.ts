import type { QuickCall } from "@nacre/client/quick";
import { type After, PAGE_ROWS, readAll } from "@nacre/client/ui";
import type { Command, TerminalId } from "@nacre/contracts";

/** All commands of a terminal, oldest first. */
export const commandsOf = (id: TerminalId, call: QuickCall): Promise<readonly Command[]> =>
  readAll(
    (after: After<number>) => call("listCommands", { id, limit: PAGE_ROWS, ...after }),
    ({ commands }) => commands,
  );
