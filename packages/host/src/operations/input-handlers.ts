import type { Handlers } from "./handler.ts";
import type { OperationsParts } from "./parts.ts";

type Names = "sendInput" | "pasteText" | "resizeTerminal" | "clearTerminal" | "markRecording";

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
  };
}
