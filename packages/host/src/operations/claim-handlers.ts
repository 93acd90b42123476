import { DEFAULT_CONTROL_TIMEOUT_MS } from "@nacre/contracts";
import type { Handlers } from "./handler.ts";
import type { OperationsDeps } from "./parts.ts";

type ClaimOperationName =
  | "readClaim"
  | "moveClaim"
  | "handBackClaim"
  | "requestControl"
  | "answerControl";

/** What is done about who drives a Terminal. */
export function claimHandlers({ registry }: OperationsDeps): Handlers<ClaimOperationName> {
  return {
    readClaim: async ({ id }, { caller }) => (await registry.require(id)).claims.readFor(caller),
    moveClaim: async ({ id, claim: wanted, note, epoch, takeover }, { caller: by }) =>
      await (await registry.require(id)).claims.move({ wanted, by, note, epoch, takeover }),
    handBackClaim: async ({ id, note }, { caller }) =>
      await (await registry.require(id)).claims.handBack({ by: caller, note }),
    requestControl: async ({ id, note, timeoutMs, wait = false }, { caller }) => {
      const { claims } = await registry.require(id);
      const deadlineMs = timeoutMs ?? DEFAULT_CONTROL_TIMEOUT_MS;
      const { request, answered } = claims.requestControl({ by: caller, note, deadlineMs });
      return wait ? { request, ...(await answered) } : { request, outcome: "pending" };
    },
    answerControl: async ({ id, requestId, grant, note }, { caller }) =>
      await (await registry.require(id)).claims.answer({ requestId, by: caller, grant, note }),
  };
}
