import { DEFAULT_LIST_LENGTH, NacreError } from "@nacre/contracts";
import { exec } from "../registry/exec.ts";
import { requesterOf } from "./call-context.ts";
import type { Handlers } from "./handler.ts";
import { resolveLaunchPlace } from "./launch-place.ts";
import { paginate } from "./page-of.ts";
import type { OperationsDeps } from "./parts.ts";

type CommandOperationName =
  | "runCommand"
  | "listCommands"
  | "readCommand"
  | "execCommand"
  | "waitFor"
  | "readOutput";

/** What is done with Commands and what they write. */
export function commandHandlers({ registry }: OperationsDeps): Handlers<CommandOperationName> {
  return {
    runCommand: async ({ id, ...command }, { caller }) =>
      await (await registry.require(id)).runCommand(command, caller),
    listCommands: async ({ id, after, limit = DEFAULT_LIST_LENGTH }) => {
      const terminal = await registry.readable(id);
      const found = await terminal.listCommands({ after, limit: limit + 1 });
      const [commands, more] = paginate(found, limit, ({ firstSequence }) => firstSequence);
      return { commands, ...more };
    },
    readCommand: async ({ id, commandId, maxOutputBytes }) => {
      const terminal = await registry.readable(id);
      const command = await terminal.findCommand(commandId);
      if (!command) {
        throw new NacreError("recording_not_found", `${id} has no command ${commandId}`, {
          field: "commandId",
          suggestion: "List the commands of the terminal and use an id from the list.",
        });
      }
      return { command, output: await terminal.readCommandOutput(command, maxOutputBytes) };
    },
    execCommand: async ({ id, ...input }, { caller }) => {
      const place = await resolveLaunchPlace(caller, input, registry);
      const options = { by: caller, id, roots: caller.roots, shell: registry.defaultShell };
      return await exec(registry, { ...input, ...place }, options);
    },
    waitFor: async ({ id, ...input }, call) =>
      await (await registry.readable(id)).wait(input, requesterOf(call)),
    readOutput: async ({ id, ...input }, { signal }) =>
      await (await registry.readable(id)).readOutput(input, signal),
  };
}
