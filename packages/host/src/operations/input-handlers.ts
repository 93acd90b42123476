import { DEFAULT_INPUT_REQUEST_MS } from "@nacre/contracts";
import type { Handlers } from "./handler.ts";
import type { OperationsParts } from "./parts.ts";

type Names =
  | "sendInput"
  | "pasteText"
  | "resizeTerminal"
  | "clearTerminal"
  | "markRecording"
  | "requestInput"
  | "answerInput";

/** What a person does at a Terminal. */
export function inputHandlers({ registry }: OperationsParts): Handlers<Names> {
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
      const terminal = await registry.require(id);
      const { request, answered } = await terminal.inputRequests.ask({
        ...question,
        by,
        deadlineMs: timeoutMs ?? DEFAULT_INPUT_REQUEST_MS,
        // Who waits and leaves does not want to know any more; who does not wait looks again later.
        signal: wait ? signal : undefined,
      });
      return wait ? { request, ...(await answered) } : { request, outcome: "pending" };
    },
    answerInput: async ({ id, ...answer }, { caller: by, handleTyped }) =>
      await (await registry.require(id)).inputRequests.answer({ ...answer, by, handleTyped }),
  };
}
