import { invalidParams, JsonRpcError, RPC_CODES } from "./json-rpc.ts";

/**
 * Shape of terminal state: `exitCode` (0.2 to 0.6), also `isPty` (0.7 and 0.8), or `lifecycle` instead of `exitCode`
 * (0.9 and later).
 */
export type StateDialect = "exitCode" | "isPty" | "lifecycle";

export interface NegotiatedVersion {
  /** One of the client's offers. */
  readonly version: string;
  readonly shape: StateDialect;
}

/** The first minor with today's channels. */
const OLDEST_MINOR = 2;

/** The last minor before 1.0. */
const NEWEST_MINOR = 9;

/** Ranges, newest first. */
export const SUPPORTED_VERSIONS: readonly string[] = [
  "^1.0.0",
  ...Array.from(
    { length: NEWEST_MINOR - OLDEST_MINOR + 1 },
    (_, index) => `^0.${NEWEST_MINOR - index}.0`,
  ),
];

/** A released version; a suffix such as `-dev` does not match. */
const VERSION = /^(0|[1-9]\d{0,14})\.(0|[1-9]\d{0,14})\.(0|[1-9]\d{0,14})$/;

interface Version {
  readonly text: string;
  readonly major: number;
  readonly minor: number;
  readonly patch: number;
}

const SERVER_INFO_SINCE: Version = { text: "0.5.2", major: 0, minor: 5, patch: 2 };

/** The highest common version; throws -32602 or -32005. */
export function negotiateVersion(offered: unknown): NegotiatedVersion {
  const versions = Array.isArray(offered) ? offered.flatMap(parseProtocolVersion) : [];
  if (versions.length === 0) {
    throw invalidParams("protocolVersions", "expected versions such as `1.0.0`");
  }
  const best = versions.filter(isSupported).toSorted(byPrecedence).at(-1);
  if (best === undefined) {
    throw new JsonRpcError(
      RPC_CODES.unsupportedProtocolVersion,
      `none of the offered versions is spoken here; this host speaks ${SUPPORTED_VERSIONS.join(", ")}`,
      { supportedVersions: SUPPORTED_VERSIONS },
    );
  }
  return { version: best.text, shape: shapeOf(best) };
}

/** `serverInfo` exists since 0.5.2. */
export const knowsServerInfo = ({ version }: NegotiatedVersion): boolean =>
  parseProtocolVersion(version).some((agreed) => byPrecedence(agreed, SERVER_INFO_SINCE) >= 0);

function parseProtocolVersion(offer: unknown): readonly Version[] {
  const match = typeof offer === "string" ? VERSION.exec(offer) : null;
  if (match === null) return [];
  const [text, major, minor, patch] = match;
  return [{ text, major: Number(major), minor: Number(minor), patch: Number(patch) }];
}

const isSupported = ({ major, minor }: Version): boolean =>
  major === 1 || (major === 0 && minor >= OLDEST_MINOR && minor <= NEWEST_MINOR);

const byPrecedence = (left: Version, right: Version): number =>
  left.major - right.major || left.minor - right.minor || left.patch - right.patch;

function shapeOf({ major, minor }: Version): StateDialect {
  if (major >= 1 || minor >= 9) return "lifecycle";
  return minor >= 7 ? "isPty" : "exitCode";
}
