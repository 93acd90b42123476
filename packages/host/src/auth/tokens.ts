import { join } from "node:path";
import {
  type Caller,
  CallerId,
  type CreateTokenInput,
  type CreateTokenResult,
  invalidArgument,
  MAX_TOKENS,
  NacreError,
  parse,
  type TerminalOwnerReference,
  TokenInfo,
} from "@nacre/contracts";
import { z } from "zod";
import type { Identity } from "./auth-context.ts";
import { type Clock, SYSTEM_CLOCK } from "../base/clock.ts";
import { readPrivateFile, requirePrivateDirectory, writePrivateFile } from "./private-file.ts";
import { hashSecret, isSameHash, makeSecret } from "./secret.ts";

const FILE_VERSION = 1;

/** With the hash of its secret, never the secret. */
const StoredToken = TokenInfo.omit({ lastUsedAt: true }).extend({
  hash: z.string().regex(/^[0-9a-f]{64}$/, "expected a SHA-256 in hex"),
});
type StoredToken = z.infer<typeof StoredToken>;

const StoredTokens = z.strictObject({
  version: z.literal(FILE_VERSION),
  tokens: z.array(StoredToken),
});

/** Two files of the state directory: all token hashes, and the operator's own secret. */
class TokenFile {
  readonly #tokensPath: string;
  readonly #secretPath: string;

  constructor(directory: string) {
    requirePrivateDirectory(directory);
    this.#tokensPath = join(directory, "tokens.json");
    this.#secretPath = join(directory, "token");
  }

  readTokens(): readonly StoredToken[] {
    const text = readPrivateFile(this.#tokensPath);
    if (text === undefined) return [];
    try {
      return parse(StoredTokens, JSON.parse(text)).tokens;
    } catch (error) {
      // JSON.parse may quote the file; the cause is for debuggers, the message for logs.
      throw new NacreError("unavailable", `${this.#tokensPath} is not a list of tokens`, {
        cause: error instanceof NacreError ? error : undefined,
        suggestion: "Restore it, or move it away to begin with no tokens but the operator's.",
      });
    }
  }

  writeTokens(tokens: readonly StoredToken[]): void {
    const text = JSON.stringify({ version: FILE_VERSION, tokens }, undefined, 2);
    writePrivateFile(this.#tokensPath, `${text}\n`);
  }

  readSecret(): string | undefined {
    return readPrivateFile(this.#secretPath)?.trim();
  }

  writeSecret(secret: string): void {
    writePrivateFile(this.#secretPath, `${secret}\n`);
  }
}

/** Made by the host; can be rotated but not revoked. */
export const OPERATOR_TOKEN = "operator";

/** Our own user over the unix socket. */
export const UNIX_SOCKET_CALLER: Caller = { id: CallerId.parse("local"), scope: "operator" };

/** Reserved: a token with such a name could pass for somebody else. */
const RESERVED_NAMES: readonly string[] = [UNIX_SOCKET_CALLER.id, "host"];

const TOKEN_PREFIX = "nacre_";

/** Recognises tokens where they must not be. */
export const TOKEN_PATTERN = /^nacre_[A-Za-z0-9_-]{43}$/;

/** The wall clock may jump while a timer runs, so it is checked this often. */
const MAX_EXPIRY_WAIT_MS = 60_000;

type TokenFacts = Omit<StoredToken, "hash" | "createdAt">;

interface Token {
  readonly stored: StoredToken;
  readonly hash: Buffer;
  lastUsedAt?: number;
}

/** For `Prover`. */
export interface TokenKey {
  readonly name: string;
  readonly hash: Buffer;
}

/** Named tokens: stored as hashes, compared in constant time, invalid at once when revoked, rotated or expired. */
export class Tokens implements Disposable {
  readonly #file: TokenFile;
  readonly #clock: Clock;
  readonly #tokens = new Map<string, Token>();
  readonly #listeners = new Set<(name: string) => void>();
  /** Revoked here, but still in the file. */
  readonly #unwritten = new Set<string>();
  #operatorSecret = "";
  #cancelExpiry: (() => void) | undefined;

  /** The state directory must be ours alone; makes the operator's token where it is missing. */
  constructor(directory: string, clock: Clock = SYSTEM_CLOCK) {
    this.#file = new TokenFile(directory);
    this.#clock = clock;
    for (const stored of this.#file.readTokens()) this.#keep(stored);
    this.#openOperator();
    this.#scheduleExpiry();
  }

  /** The same across restarts. */
  get operatorSecret(): string {
    return this.#operatorSecret;
  }

  /** Undefined when wrong, revoked or expired, without telling which. */
  verify(secret: string): Identity | undefined {
    const hash = hashSecret(secret);
    let found: Token | undefined;
    // Compares all, so that the time does not tell which one matched.
    for (const token of this.#tokens.values()) if (isSameHash(token.hash, hash)) found = token;
    if (found === undefined || this.#isExpired(found.stored)) return undefined;
    found.lastUsedAt = this.#clock.now();
    return { caller: callerOf(found.stored), credential: { name: found.stored.name } };
  }

  /** Of valid tokens. */
  keys(): readonly TokenKey[] {
    return [...this.#tokens.values()]
      .filter(({ stored }) => !this.#isExpired(stored))
      .map(({ stored, hash }) => ({ name: stored.name, hash }));
  }

  /** Oldest first, without secrets. */
  list(): readonly TokenInfo[] {
    return [...this.#tokens.values()].map(infoOf);
  }

  /** The only time the secret is returned. */
  create(input: CreateTokenInput): CreateTokenResult {
    const { name, expiresAt } = input;
    if (RESERVED_NAMES.includes(name)) throw invalidName(`the name ${name} is reserved`);
    if (this.#tokens.has(name))
      throw new NacreError("already_exists", `a token named ${name} exists`);
    if (this.#tokens.size >= MAX_TOKENS) {
      const message = `there are ${MAX_TOKENS} tokens, the most a host keeps`;
      throw new NacreError("limit_reached", message);
    }
    if (expiresAt !== undefined && Date.parse(expiresAt) <= this.#clock.now()) {
      throw invalidArgument("expiresAt", `${expiresAt} has passed`);
    }
    const owner = input.scope === "agent" ? (input.owner ?? makeAgentOwner(name)) : undefined;
    return this.#issue({ ...input, owner });
  }

  /** The old secret is invalid at once, and its connections are closed. */
  rotate(name: string): CreateTokenResult {
    const result = this.#issue(this.#require(name).stored);
    this.#announce(name);
    return result;
  }

  /**
   * Closes its connections. If the file cannot be written the token is invalid nevertheless, and this can be repeated.
   */
  revoke(name: string): void {
    if (name === OPERATOR_TOKEN) {
      throw new NacreError("forbidden", `the token ${name} cannot be revoked`, {
        suggestion: "Rotate it instead.",
      });
    }
    // First of all: filling the disk must not keep a token alive.
    if (!this.#unwritten.has(name)) {
      this.#require(name);
      this.#tokens.delete(name);
      this.#unwritten.add(name);
      this.#scheduleExpiry();
      this.#announce(name);
    }
    try {
      this.#write(this.#stored());
    } catch (cause) {
      throw new NacreError(
        "unavailable",
        `the token ${name} is revoked now, but its file cannot be written: after a restart it would be valid again`,
        { cause, suggestion: "Make the file writable, then revoke the token again." },
      );
    }
  }

  /** Called with the name of each token that becomes invalid; returns an unsubscribe function. */
  onRevoked(listener: (name: string) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  [Symbol.dispose](): void {
    this.#cancelExpiry?.();
    this.#listeners.clear();
  }

  #openOperator(): void {
    const kept = this.#file.readSecret();
    const known = this.#tokens.get(OPERATOR_TOKEN);
    const isSecret = kept !== undefined && TOKEN_PATTERN.test(kept);
    const isKnown = isSecret && known !== undefined && isSameHash(known.hash, hashSecret(kept));
    if (isKnown) this.#operatorSecret = kept;
    // A crash between the two writes leaves them inconsistent; a new secret repairs that.
    else
      this.#issue(
        { name: OPERATOR_TOKEN, scope: "operator" },
        isSecret && !known ? kept : undefined,
      );
  }

  #issue(facts: TokenFacts, token = makeSecret(TOKEN_PREFIX)): CreateTokenResult {
    const { name, scope, expiresAt, owner, roots } = facts;
    const createdAt = new Date(this.#clock.now()).toISOString();
    const hash = hashSecret(token).toString("hex");
    const stored = { name, scope, createdAt, expiresAt, owner, roots, hash };
    this.#write([...this.#stored().filter((other) => other.name !== name), stored]);
    if (name === OPERATOR_TOKEN) {
      this.#file.writeSecret(token);
      this.#operatorSecret = token;
    }
    this.#tokens.delete(name);
    const kept = this.#keep(stored);
    this.#scheduleExpiry();
    return { token, info: infoOf(kept) };
  }

  #write(tokens: readonly StoredToken[]): void {
    this.#file.writeTokens(tokens);
    this.#unwritten.clear();
  }

  #keep(stored: StoredToken): Token {
    const token = { stored, hash: Buffer.from(stored.hash, "hex") };
    this.#tokens.set(stored.name, token);
    return token;
  }

  #stored(): readonly StoredToken[] {
    return [...this.#tokens.values()].map(({ stored }) => stored);
  }

  #require(name: string): Token {
    const token = this.#tokens.get(name);
    if (token === undefined) {
      throw new NacreError("token_not_found", `no token is named ${name}`, { field: "name" });
    }
    return token;
  }

  #isExpired({ expiresAt }: StoredToken): boolean {
    return expiresAt !== undefined && Date.parse(expiresAt) <= this.#clock.now();
  }

  #announce(name: string): void {
    for (const listener of this.#listeners) listener(name);
  }

  /** Expired tokens count as revoked, so that their connections end. */
  #scheduleExpiry(): void {
    this.#cancelExpiry?.();
    const now = this.#clock.now();
    const ahead = this.#stored()
      .map(({ name, expiresAt }) => ({ name, at: Date.parse(expiresAt ?? "") }))
      .filter(({ at }) => at > now);
    if (ahead.length === 0) return;
    const waitMs = Math.min(MAX_EXPIRY_WAIT_MS, ...ahead.map(({ at }) => at - now));
    this.#cancelExpiry = this.#clock.after(waitMs, () => {
      this.#scheduleExpiry();
      for (const { name, at } of ahead) if (at <= this.#clock.now()) this.#announce(name);
    });
  }
}

/** Only agents have owner and roots. */
function callerOf({ name, scope, owner, roots }: StoredToken): Caller {
  const id = CallerId.parse(name);
  return scope === "agent"
    ? { id, scope, owner: owner ?? makeAgentOwner(name), roots }
    : { id, scope };
}

/** An agent without an owner of its own would see nothing; its name makes one. */
const makeAgentOwner = (entityId: string): TerminalOwnerReference => ({
  entityName: "Agent",
  entityId,
});

function infoOf({ stored, lastUsedAt }: Token): TokenInfo {
  const { hash: _hash, ...facts } = stored;
  const used = lastUsedAt === undefined ? undefined : new Date(lastUsedAt).toISOString();
  return { ...facts, lastUsedAt: used };
}

const invalidName = (message: string): NacreError =>
  new NacreError("invalid_argument", message, { field: "name" });
