import {
  type Caller,
  DEFAULT_SIZE,
  NacreError,
  type Size,
  type TerminalOwnerReference,
  TerminalOwnerReferenceSchema,
} from "@nacre/contracts";
import { z } from "zod";
import { invalidParams } from "../protocol/json-rpc.ts";
import { CreateTerminalParams, DisposeTerminalParams, parseParams } from "../protocol/params.ts";
import {
  CHANNEL_ATTRIBUTE,
  cwdFromUri,
  isRoot,
  parseTerminalUri,
  type TerminalUri,
} from "../protocol/uri.ts";
import type { KeyedSerialQueue } from "../../../base/serial-queue.ts";
import { normalizeChannelUri } from "./channel-opener.ts";
import { type ConnectedClient, decodeClaim } from "./connected-client.ts";

/** Key of our extensions. */
const META_KEY = "dev.nacre";

const META_FIELD = `_meta.${META_KEY}`;

/** Whatever `createTerminal` takes that the protocol has no field for. */
const Extras = z.record(z.string(), z.unknown());

/** Fields of the protocol itself cannot be given twice. */
const OWN_FIELDS = ["id", "claim", "size", "name", "workingDirectory"] as const;

export interface TerminalCreation {
  readonly uri: string;
  readonly run: () => Promise<void>;
}

/** Reserves the address; throws where that is impossible. */
export function planCreation(client: ConnectedClient, params: unknown): TerminalCreation {
  const asked = parseParams(CreateTerminalParams, params);
  const { channel: uri } = asked;
  const address = parseAddress(uri);
  const claim = decodeClaim(client, asked.claim);
  if (claim.kind === "client" && claim.clientId !== client.clientId) {
    throw invalidParams("claim.clientId", "a client can only begin with a terminal of its own");
  }
  const extras = parseExtras(asked._meta);
  const { agentHost, operations, context } = client.parts;
  const input = {
    ...extras,
    name: asked.name || undefined,
    workingDirectory: asked.cwd === undefined ? undefined : cwdFromUri(asked.cwd),
    size: completeSize(asked),
    claim,
  };
  const reservation = agentHost.reserve(uri);
  return {
    uri,
    run: async () => {
      using _ = reservation;
      const create = (identity: object): Promise<unknown> =>
        operations.call("createTerminal", { ...input, ...identity }, client.untilDone);
      await translateFields(
        createAt(address, ownerWithAddress(uri, extras, context.caller), create),
      );
      client.speakFor(claim);
      // Followers of the list have it before the answer.
      agentHost.rootFor(context).refresh();
    },
  };
}

/** After the client's earlier actions on it; idempotent. */
export async function disposeTerminal(
  client: ConnectedClient,
  queue: KeyedSerialQueue,
  params: unknown,
): Promise<void> {
  const { channel } = parseParams(DisposeTerminalParams, params);
  parseAddress(channel);
  await queue.run(normalizeChannelUri(channel), () => dispose(client, channel));
}

async function dispose(client: ConnectedClient, channel: string): Promise<void> {
  const { agentHost, operations, context } = client.parts;
  const id = agentHost.findTerminal(channel, context);
  if (id === undefined) return;
  try {
    await operations.call("disposeTerminal", { id }, client.untilDone);
  } catch (error) {
    if (!(error instanceof NacreError && error.code === "terminal_not_found")) throw error;
  }
  agentHost.rootFor(context).refresh();
}

function parseAddress(uri: string): TerminalUri {
  const address = isRoot(uri) ? undefined : parseTerminalUri(uri);
  if (address) return address;
  throw invalidParams("channel", "expected the URI of a terminal, such as `ahp-terminal:/build`");
}

function parseExtras(meta: Readonly<Record<string, unknown>> | undefined): Record<string, unknown> {
  const said = meta?.[META_KEY];
  const extras = said === undefined ? {} : parseParams(Extras, said, META_FIELD);
  for (const field of OWN_FIELDS) {
    if (extras[field] !== undefined) {
      throw invalidParams(`${META_FIELD}.${field}`, "is said in the params themselves");
    }
  }
  refuseAddress(extras["owner"], `${META_FIELD}.owner`);
  return extras;
}

/** Refuses an owner that carries a terminal's address, which nobody checked. */
export function refuseAddress(owner: unknown, field: string): void {
  const attributes: unknown =
    typeof owner === "object" && owner !== null && Reflect.get(owner, "attributes");
  if (typeof attributes !== "object" || attributes === null) return;
  if (!Object.hasOwn(attributes, CHANNEL_ATTRIBUTE)) return;
  throw invalidParams(`${field}.attributes.${CHANNEL_ATTRIBUTE}`, "is said in `channel`");
}

/** Missing `cols` or `rows` take the value of the default size. */
function completeSize({ cols, rows }: CreateTerminalParams): Size | undefined {
  if (cols === undefined && rows === undefined) return undefined;
  return { cols: cols ?? DEFAULT_SIZE.cols, rows: rows ?? DEFAULT_SIZE.rows };
}

/** Our own address is the id, unless a recording has that; any other is kept with the owner. */
async function createAt(
  address: TerminalUri,
  chosen: object,
  create: (identity: object) => Promise<unknown>,
): Promise<unknown> {
  if (address.kind === "chosen") return await create(chosen);
  try {
    return await create({ id: address.id });
  } catch (error) {
    const isTaken = error instanceof NacreError && error.code === "already_exists";
    if (!isTaken) throw error;
    // The address is free, so only a disposed terminal can have had the id.
    return await create(chosen);
  }
}

function ownerWithAddress(
  uri: string,
  extras: Readonly<Record<string, unknown>>,
  caller: Caller,
): { readonly owner: TerminalOwnerReference } {
  const { owner: said } = extras;
  const owner =
    said === undefined
      ? (caller.owner ?? { entityName: "System", entityId: caller.id })
      : parseParams(TerminalOwnerReferenceSchema, said, `${META_FIELD}.owner`);
  const attributes = { ...owner.attributes, [CHANNEL_ATTRIBUTE]: uri };
  return { owner: { ...owner, attributes } };
}

/** The protocol's names for the host's fields. */
const FIELD_NAMES: Readonly<Record<string, string>> = {
  workingDirectory: "cwd",
  "size.cols": "cols",
  "size.rows": "rows",
};

/** Errors name the field that the client knows. */
async function translateFields(work: Promise<unknown>): Promise<void> {
  try {
    await work;
  } catch (error) {
    const field = error instanceof NacreError ? FIELD_NAMES[error.field ?? ""] : undefined;
    if (!(error instanceof NacreError) || field === undefined) throw error;
    const { code, message, suggestion, details } = error;
    throw new NacreError(code, message, { cause: error, field, suggestion, details });
  }
}
