import { DEFAULT_INPUT_WAIT_MS } from "@nacre/contracts";
import type { Handlers } from "./handler.ts";
import type { OperationsDeps } from "./parts.ts";

type InputOperationName =
  | "sendInput"
  | "pasteText"
  | "resizeTerminal"
  | "clearTerminal"
  | "markRecording"
  | "requestInput"
  | "answerInput"
  | "readInputRequest"
  | "withdrawInput";

/** What a person does at a Terminal. */
export function inputHandlers({ registry }: OperationsDeps): Handlers<InputOperationName> {
  return {
    sendInput: async ({ id, ...input }, { caller, handleTyped }) => {
      const terminal = await registry.require(id);
      await terminal.sendInput(input, caller, handleTyped);
      return await terminal.read();
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
      // Who waits and leaves has asked all the same: a person who is away has to learn of it.
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
  };
}
