// Channel URIs: the root, terminals by id, and terminals by an address that a client chose.
import { fileURLToPath, pathToFileURL } from "node:url";
import { TerminalId, type TerminalOwnerReference } from "@nacre/contracts";
import { invalidParams } from "./json-rpc.ts";

/** Canonical spelling. */
export const ROOT_URI = "ahp-root://";

/** Spellings of older and newer clients. */
const ROOT_SPELLINGS: ReadonlySet<string> = new Set([
  ROOT_URI,
  "ahp-root:",
  "ahp-root:/",
  "agenthost:/root",
]);

/** Owner attribute that keeps the address its client chose. */
export const CHANNEL_ATTRIBUTE = "ahpChannel";

/** Part of every envelope, so it must be short. */
export const MAX_URI_BYTES = 1024;

const TERMINAL_PREFIX = "ahp-terminal:";

const ID_PREFIX = "terminal:";

/** A lower-case scheme, then visible characters. */
const CHOSEN = /^(?<scheme>[a-z][a-z0-9+.-]*):[^\s\p{C}]+$/u;

/** The protocol's own schemes, except terminals. */
const RESERVED_SCHEME = /^(?:ahp-(?!terminal$).*|agenthost)$/;

/** `ahp-terminal:` without a name. */
const NAMELESS = /^ahp-terminal:\/*$/;

export type TerminalUri =
  | { readonly kind: "own"; readonly id: TerminalId }
  | { readonly kind: "chosen"; readonly uri: string };

export const isRoot = (uri: string): boolean => ROOT_SPELLINGS.has(uri);

/** An id, or an address that a client chose; undefined where it is neither. */
export function parseTerminalUri(uri: string): TerminalUri | undefined {
  const uid = uri.startsWith(`${TERMINAL_PREFIX}/`) ? uri.slice(TERMINAL_PREFIX.length + 1) : "";
  const { data: id } = TerminalId.safeParse(ID_PREFIX + uid);
  if (id !== undefined) return { kind: "own", id };
  return isChosen(uri) ? { kind: "chosen", uri } : undefined;
}

function isChosen(uri: string): boolean {
  if (Buffer.byteLength(uri) > MAX_URI_BYTES || NAMELESS.test(uri)) return false;
  const scheme = CHOSEN.exec(uri)?.groups?.["scheme"];
  return scheme !== undefined && !RESERVED_SCHEME.test(scheme);
}

export interface AddressedTerminal {
  readonly id: TerminalId;
  readonly owner: TerminalOwnerReference;
}

/** Chosen by its client, or derived from the id. */
export function uriOf({ id, owner }: AddressedTerminal): string {
  // Other wires may set any attribute.
  const chosen: unknown = owner.attributes?.[CHANNEL_ATTRIBUTE];
  return typeof chosen === "string" && parseTerminalUri(chosen) ? chosen : ownUriOf(id);
}

/** Always works. */
export const ownUriOf = (id: TerminalId): string =>
  `${TERMINAL_PREFIX}/${id.slice(ID_PREFIX.length)}`;

/** Throws -32602. */
export function cwdFromUri(uri: string): string {
  const url = URL.canParse(uri) ? new URL(uri) : undefined;
  if (url?.protocol !== "file:" || url.search !== "" || url.hash !== "") {
    throw invalidParams("cwd", "expected a `file:` URI such as `file:///srv/app`");
  }
  try {
    return fileURLToPath(url);
  } catch {
    // Another machine, or a character that no path can have.
    throw invalidParams("cwd", "expected the `file:` URI of a directory of this machine");
  }
}

export const cwdToUri = (path: string): string => pathToFileURL(path).href;
