import { constants } from "node:os";
import {
  type Caller,
  type Claim,
  type CreateTerminalInput,
  decodeBytes,
  DEFAULT_LIST_LENGTH,
  type ListTerminalsInput,
  invalidArgument,
  NacreError,
  type OutputPage,
  type TerminalId,
} from "@nacre/contracts";
import { canSeeOwner } from "../auth/auth-context.ts";
import { readExcerptText, readText } from "../base/text/output-text.ts";
import { exec } from "../registry/exec.ts";
import { isDrivenBy, type Registry } from "../registry/registry.ts";
import { matchesOwnerFilter, resolveLaunchPlace, resolveOwnerFilter } from "./access.ts";
import { requesterOf } from "./call-context.ts";
import { type Handlers, type OperationsDeps, paginate } from "./handler.ts";

/** What is done with a Terminal as a whole. */
export function terminalHandlers({ registry }: OperationsDeps) {
  return {
    createTerminal: async (input, { caller }) => await create(registry, input, caller),
    listTerminals: async ({ limit = DEFAULT_LIST_LENGTH, ...asked }, { caller }) => {
      const found = await list(registry, asked, caller);
      const [page, more] = paginate(found, limit, ({ id }) => id);
      return { terminals: page.map(({ summary }) => summary), ...more };
    },
    readTerminal: ({ id, types }, call) => registry.read(id, types, requesterOf(call)),
    renameTerminal: async ({ id, title }, { caller }) => {
      const terminal = await registry.require(id);
      await terminal.rename(title, caller);
      return terminal.summary;
    },
    disposeTerminal: async ({ id, force }, { caller }) => {
      await registry.require(id);
      await registry.dispose(id, { by: caller, force });
      return { id };
    },
    disposeTerminals: async ({ owner: asked, session, force }, { caller }) => {
      const owner = resolveOwnerFilter(caller, asked);
      const isMeant = (terminal: ListedTerminals[number]): boolean =>
        matchesOwnerFilter(terminal.row.owner, owner) &&
        (session === undefined || isDrivenBy(terminal, session));
      return await registry.disposeAll(isMeant, { by: caller, force });
    },
    signalTerminal: async ({ id, signal, target }, { caller }) => {
      const terminal = await registry.require(id);
      await terminal.signal(parseSignal(signal), caller, target);
      return terminal.summary;
    },
    killTerminal: async ({ id, graceMs }, { caller }) => {
      const terminal = await registry.require(id);
      const { ended, forced, survivors } = await terminal.kill(caller, graceMs);
      return { ended, forced, survivors: [...survivors] };
    },
    readScreen: async ({ id, format = "text", at, atElapsedMs }, call) => {
      const terminal = await registry.readable(id);
      const sequence =
        atElapsedMs === undefined ? at : await registry.recordings.findSequenceAt(id, atElapsedMs);
      return await terminal.reader.readScreen(format, sequence, requesterOf(call));
    },
  } satisfies Partial<Handlers>;
}

async function create(registry: Registry, input: CreateTerminalInput, caller: Caller) {
  const { inputPolicy, shellIntegration, whenOwnerEnds, strictRecording, inputRecording, ...rest } =
    input;
  const { id, claim, commandLine, limits, ...asked } = rest;
  if (claim) requireOwnClaim(claim, caller);
  const place = await resolveLaunchPlace(caller, asked, registry);
  const terminal = await registry.create(
    { ...asked, ...place, ...shellFor(commandLine, registry.defaultShell) },
    {
      by: caller,
      id,
      claim,
      roots: caller.roots,
      inputPolicy,
      shellIntegration,
      whenOwnerEnds,
      limits,
      recording: {
        ...(strictRecording === undefined ? {} : { strict: strictRecording }),
        ...(inputRecording === undefined ? {} : { inputRecording }),
      },
    },
  );
  return await terminal.reader.read();
}

/** The shell that runs a command line. */
const shellFor = (commandLine: string | undefined, shell: string) =>
  commandLine === undefined ? {} : { command: shell, args: ["-c", commandLine] };

/** A client claim must name the caller, and an agent claims for its own session. */
function requireOwnClaim(claim: Claim, caller: Caller): void {
  const isOwnName =
    claim.kind === "client"
      ? [caller.id, caller.clientId].some((name) => name === String(claim.clientId))
      : caller.session === undefined || caller.session === claim.session;
  if (isOwnName) return;
  throw invalidArgument("claim", "it names somebody other than the caller", {
    suggestion: "Leave it out, or hand the terminal over once it is there.",
  });
}

type ListedTerminals = ReturnType<Registry["list"]>;

async function list(
  registry: Registry,
  { state, owner: asked, after }: Omit<ListTerminalsInput, "limit">,
  caller: Caller,
): Promise<ListedTerminals> {
  const owner = resolveOwnerFilter(caller, asked);
  const listed = after === undefined ? registry.list() : await listAfter(registry, after, caller);
  return listed.filter(
    (terminal) =>
      matchesOwnerFilter(terminal.row.owner, owner) &&
      (state === undefined || terminal.summary.state === state),
  );
}

/** The terminal it starts after may have left the list since. */
async function listAfter(
  registry: Registry,
  after: TerminalId,
  caller: Caller,
): Promise<ListedTerminals> {
  const row = await registry.findRow(after);
  if (!row || !canSeeOwner(caller, row.owner)) {
    throw invalidArgument("after", `there is no ${after} to go on from`, {
      suggestion: "List from the beginning.",
    });
  }
  const terminals = registry.list();
  const index = terminals.findIndex(({ id }) => id === after);
  return index >= 0
    ? terminals.slice(index + 1)
    : terminals.filter((terminal) => terminal.row.createdAt > row.createdAt);
}

function parseSignal(name: string): NodeJS.Signals {
  if (isSignal(name)) return name;
  throw invalidArgument("signal", `${name} is not a signal of this system`);
}

const isSignal = (name: string): name is NodeJS.Signals => Object.hasOwn(constants.signals, name);

const readPage = (page: OutputPage): string => Buffer.from(decodeBytes(page)).toString();

/** What is done with Commands and what they write. */
export function commandHandlers({ registry }: OperationsDeps) {
  return {
    runCommand: async ({ id, ...command }, { caller }) =>
      await (await registry.require(id)).runCommand(command, caller),
    listCommands: async ({ id, after, limit = DEFAULT_LIST_LENGTH }) => {
      const terminal = await registry.readable(id);
      const found = await terminal.commands.list({ after, limit: limit + 1 });
      const [commands, more] = paginate(found, limit, ({ firstSequence }) => firstSequence);
      return { commands, ...more };
    },
    readCommand: async ({ id, commandId, maxOutputBytes, view }) => {
      const terminal = await registry.readable(id);
      const command = await terminal.commands.find(commandId);
      if (!command) {
        throw new NacreError("recording_not_found", `${id} has no command ${commandId}`, {
          field: "commandId",
          suggestion: "List the commands of the terminal and use an id from the list.",
        });
      }
      const output = await terminal.reader.readCommandOutput(command, maxOutputBytes);
      if (view !== "text") return { command, output };
      return { command, output: { ...output, text: readExcerptText(output) } };
    },
    execCommand: async ({ id, ...input }, { caller }) => {
      const place = await resolveLaunchPlace(caller, input, registry);
      const options = { by: caller, id, roots: caller.roots, shell: registry.defaultShell };
      return await exec(registry, { ...input, ...place }, options);
    },
    waitFor: async ({ id, ...input }, call) =>
      await (await registry.readable(id)).wait(input, requesterOf(call)),
    readOutput: async ({ id, ...input }, { signal }) => {
      const page = await (await registry.readable(id)).reader.readOutput(input, signal);
      if (input.view !== "text") return page;
      const { encoding: _, ...rest } = page;
      const isFromStart = (input.position?.after ?? 0) === 0;
      return { ...rest, data: readText(readPage(page), { size: page.size, isFromStart }) };
    },
  } satisfies Partial<Handlers>;
}
