// Actions, and which of them clients may dispatch.
import { Columns, Rows } from "@nacre/contracts";
import { z } from "zod";
import { invalidParams, type JsonRpcError } from "./json-rpc.ts";
import { parseParams } from "./params.ts";
import { TerminalClaim, TerminalInfo } from "./state.ts";

const action = <Type extends string, Fields extends z.ZodRawShape>(
  type: Type,
  description: string,
  fields: Fields,
) =>
  z
    .object({ type: z.literal(type).meta({ description: "What happens." }), ...fields })
    .meta({ description });

const commandId = z.string().meta({ description: "Identity of the command in its terminal." });

const TerminalData = action("terminal/data", "The program showed something.", {
  data: z.string().meta({ description: "Output without shell-integration sequences." }),
});

const TerminalInput = action("terminal/input", "A client types.", {
  data: z.string().meta({ description: "What is typed; empty where it is kept back." }),
});

const TerminalResized = action("terminal/resized", "The size is another one.", {
  cols: Columns,
  rows: Rows,
});

export const TerminalClaimed = action("terminal/claimed", "Somebody else holds the terminal.", {
  claim: TerminalClaim,
});

const TerminalTitleChanged = action("terminal/titleChanged", "The title is another one.", {
  title: z.string().meta({ description: "The title." }),
});

const TerminalCwdChanged = action("terminal/cwdChanged", "The shell went to another directory.", {
  cwd: z.string().min(1).meta({ description: "The directory as a `file:` URI." }),
});

const TerminalExited = action("terminal/exited", "The program has ended.", {
  exitCode: z.int().optional().meta({
    description: "Its exit code; absent after a signal and where it is not known.",
  }),
});

const TerminalCleared = action("terminal/cleared", "Everything shown so far is taken away.", {});

const TerminalCommandDetectionAvailable = action(
  "terminal/commandDetectionAvailable",
  "From now on commands are told.",
  {},
);

const TerminalCommandExecuted = action("terminal/commandExecuted", "A command begins.", {
  commandId,
  commandLine: z.string().meta({ description: "The command line." }),
  timestamp: z.int().min(0).meta({ description: "When it began, in Unix milliseconds." }),
});

const TerminalCommandFinished = action("terminal/commandFinished", "A command has ended.", {
  commandId,
  exitCode: z.int().optional().meta({ description: "Its exit code, where it is known." }),
  durationMs: z.number().min(0).optional().meta({ description: "How long it took." }),
});

export const TerminalAction = z
  .discriminatedUnion("type", [
    TerminalData,
    TerminalInput,
    TerminalResized,
    TerminalClaimed,
    TerminalTitleChanged,
    TerminalCwdChanged,
    TerminalExited,
    TerminalCleared,
    TerminalCommandDetectionAvailable,
    TerminalCommandExecuted,
    TerminalCommandFinished,
  ])
  .meta({ description: "What happens on the channel of a terminal." });
export type TerminalAction = z.infer<typeof TerminalAction>;

export const RootTerminalsChanged = action(
  "root/terminalsChanged",
  "The list of terminals is another one.",
  {
    terminals: z.array(TerminalInfo).meta({ description: "The whole list, which replaces it." }),
  },
);

/** This host refuses it. */
export const RootConfigChanged = action(
  "root/configChanged",
  "A client wants the host configured in another way; it is always rejected.",
  {
    config: z.record(z.string(), z.unknown()).meta({ description: "Values by their names." }),
    replace: z.boolean().optional().meta({ description: "Whether other values are dropped." }),
  },
);

export const RootAction = z
  .discriminatedUnion("type", [RootTerminalsChanged, RootConfigChanged])
  .meta({ description: "What happens on the root channel." });
export type RootAction = z.infer<typeof RootAction>;

export type Action = TerminalAction | RootAction;

export const ClientAction = z
  .discriminatedUnion("type", [
    TerminalInput,
    TerminalResized,
    TerminalClaimed,
    TerminalTitleChanged,
    TerminalCleared,
    RootConfigChanged,
  ])
  .meta({ description: "What clients may dispatch." });
export type ClientAction = z.infer<typeof ClientAction>;

const typesOf = (union: {
  readonly options: readonly { readonly shape: { readonly type: z.ZodLiteral<string> } }[];
}): ReadonlySet<string> => new Set(union.options.map(({ shape }) => shape.type.value));

export const CLIENT_ACTIONS: ReadonlySet<string> = typesOf(ClientAction);

const KNOWN_ACTIONS: ReadonlySet<string> = new Set([
  ...typesOf(TerminalAction),
  ...typesOf(RootAction),
]);

/** Throws -32602; its message becomes the rejection reason. */
export function parseClientAction(value: unknown): ClientAction {
  const type: unknown =
    typeof value === "object" && value !== null && "type" in value && value.type;
  if (typeof type === "string" && !CLIENT_ACTIONS.has(type)) throw refusedType(type);
  return parseParams(ClientAction, value, "action");
}

/** Reasons go into logs, so only a short name is repeated. */
const SHORT_NAME = /^[\w./-]{1,64}$/;

function refusedType(type: string): JsonRpcError {
  const name = SHORT_NAME.test(type) ? type : "this type";
  return KNOWN_ACTIONS.has(type)
    ? invalidParams("action.type", `${name} only comes from the host`)
    : invalidParams("action.type", `${name} is not known here`);
}

export const ActionOrigin = z
  .object({
    clientId: z.string().meta({ description: "The client that dispatched it." }),
    clientSeq: z.int().meta({ description: "Its number there." }),
  })
  .meta({ description: "Who dispatched an action." });
export type ActionOrigin = z.infer<typeof ActionOrigin>;

export const ActionEnvelope = z
  .object({
    channel: z.string().min(1).meta({ description: "The channel, as the client named it." }),
    action: z.union([TerminalAction, RootAction]).meta({ description: "What happens." }),
    serverSeq: z.int().min(1).meta({
      description: "Its number among everything that the host tells; grows, with gaps.",
    }),
    origin: ActionOrigin.optional().meta({ description: "Absent for what the host does itself." }),
    rejectionReason: z
      .string()
      .optional()
      .meta({ description: "Present when the action was not done, and why." }),
  })
  .meta({ description: "One numbered action on a channel." });
export type ActionEnvelope = z.infer<typeof ActionEnvelope>;
