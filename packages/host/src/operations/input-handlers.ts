import { DEFAULT_CONTROL_TIMEOUT_MS, DEFAULT_INPUT_WAIT_MS } from "@nacre/contracts";
import type { Handlers, OperationsDeps } from "./handler.ts";

/** What a person does at a Terminal. */
export function inputHandlers({ registry }: OperationsDeps) {
  return {
    sendInput: async ({ id, ...input }, { caller, handleTyped }) => {
      const terminal = await registry.require(id);
      await terminal.sendInput(input, caller, handleTyped);
      return await terminal.reader.read();
    },
    pasteText: async ({ id, text, epoch }, { caller, handleTyped }) => {
      const terminal = await registry.require(id);
      await terminal.paste(text, { by: caller, epoch, handleTyped });
      return terminal.summary;
    },
    resizeTerminal: async ({ id, ...size }, { caller }) =>
      await (await registry.require(id)).resize(size, caller),
    clearTerminal: async ({ id }, { caller }) => {
      const terminal = await registry.require(id);
      await terminal.clear(caller);
      return terminal.summary;
    },
    markRecording: async ({ id, label }, { caller }) => ({
      sequence: await (await registry.require(id)).mark(label, caller),
    }),
    requestInput: async ({ id, timeoutMs, wait = false, ...question }, { caller: by, signal }) => {
      const { inputRequests } = await registry.require(id);
      const { requestId } = await inputRequests.ask({ ...question, by });
      // A question whose asker stops waiting stays open: a person who is away has to learn of it.
      const waiting = { timeoutMs: timeoutMs ?? DEFAULT_INPUT_WAIT_MS, signal };
      return await inputRequests.outcome(requestId, by, wait ? waiting : undefined);
    },
    answerInput: async ({ id, ...answer }, { caller: by, handleTyped }) =>
      await (await registry.require(id)).inputRequests.answer({ ...answer, by, handleTyped }),
    readInputRequest: async ({ id, requestId, timeoutMs = 0 }, { caller, signal }) => {
      const { inputRequests } = await registry.require(id);
      return await inputRequests.outcome(requestId, caller, { timeoutMs, signal });
    },
    withdrawInput: async ({ id, requestId }, { caller }) =>
      await (await registry.require(id)).inputRequests.withdraw(requestId, caller),
  } satisfies Partial<Handlers>;
}

/** What is done about who drives a Terminal. */
export function claimHandlers({ registry }: OperationsDeps) {
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
  } satisfies Partial<Handlers>;
}
