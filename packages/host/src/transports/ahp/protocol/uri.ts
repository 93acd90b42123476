// How channels are named: the root, terminals by their id, and terminals by an address that a client chose.
import { fileURLToPath, pathToFileURL } from "node:url";
import { TerminalId, type TerminalOwnerReference } from "@nacre/contracts";
import { invalidParams } from "./json-rpc.ts";

/** The root channel, as the host always spells it. */
export const ROOT_URI = "ahp-root://";

/** How clients of different ages spell the root channel. */
const ROOT_SPELLINGS: ReadonlySet<string> = new Set([
  ROOT_URI,
  "ahp-root:",
  "ahp-root:/",
  "agenthost:/root",
]);

/** The attribute of a terminal's owner that keeps the address its client chose. */
export const CHANNEL_ATTRIBUTE = "ahpChannel";

/** An address is in every envelope of its channel, so that it has to be short. */
export const MAX_URI_BYTES = 1024;

const TERMINAL_PREFIX = "ahp-terminal:";

const ID_PREFIX = "terminal:";

/** A scheme in small letters, then characters that can be seen. */
const CHOSEN = /^(?<scheme>[a-z][a-z0-9+.-]*):[^\s\p{C}]+$/u;

/** Schemes of the protocol's own channels, but for that of terminals. */
const RESERVED_SCHEME = /^(?:ahp-(?!terminal$).*|agenthost)$/;

/** A terminal of the protocol's own scheme is named by something. */
const NAMELESS = /^ahp-terminal:\/*$/;

/** What the address of a terminal says. */
export type TerminalUri =
  | { readonly kind: "own"; readonly id: TerminalId }
  | { readonly kind: "chosen"; readonly uri: string };

/** Whether an address is that of the root channel. */
export const isRoot = (uri: string): boolean => ROOT_SPELLINGS.has(uri);

/** Reads the address of a terminal: its id, or else whatever its client chose; nothing where it cannot be one. */
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

/** What decides the address of a terminal. */
export interface AddressedTerminal {
  readonly id: TerminalId;
  readonly owner: TerminalOwnerReference;
}

/** The address of a terminal: the one its client chose, or the one made from its id. */
export function uriOf({ id, owner }: AddressedTerminal): string {
  // Whoever creates terminals by other wires may set any attribute.
  const chosen: unknown = owner.attributes?.[CHANNEL_ATTRIBUTE];
  return typeof chosen === "string" && parseTerminalUri(chosen) ? chosen : ownUriOf(id);
}

/** The address that is made from a terminal's id; it always works. */
export const ownUriOf = (id: TerminalId): string =>
  `${TERMINAL_PREFIX}/${id.slice(ID_PREFIX.length)}`;

/** The directory that a `file:` address names, or -32602. */
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

/** A directory as a `file:` address. */
export const cwdToUri = (path: string): string => pathToFileURL(path).href;
