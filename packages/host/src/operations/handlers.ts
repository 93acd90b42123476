import { claimHandlers } from "./claim-handlers.ts";
import { commandHandlers } from "./command-handlers.ts";
import { credentialHandlers } from "./credential-handlers.ts";
import type { Handlers } from "./handler.ts";
import { hostHandlers } from "./host-handlers.ts";
import { inputHandlers } from "./input-handlers.ts";
import type { OperationsDeps } from "./parts.ts";
import { recordingHandlers } from "./recording-handlers.ts";
import { terminalHandlers } from "./terminal-handlers.ts";

/** Everything that operations do, by name. */
export function createHandlers(parts: OperationsDeps): Handlers {
  return {
    ...terminalHandlers(parts),
    ...inputHandlers(parts),
    ...commandHandlers(parts),
    ...recordingHandlers(parts),
    ...claimHandlers(parts),
    ...hostHandlers(parts),
    ...credentialHandlers(parts),
  };
}
