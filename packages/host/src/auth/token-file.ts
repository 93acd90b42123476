import { join } from "node:path";
import { NacreError, parse, TokenInfo } from "@nacre/contracts";
import { z } from "zod";
import { readPrivateFile, requirePrivateDirectory, writePrivateFile } from "./private-file.ts";

const FILE_VERSION = 1;

/** A token as it is kept: with the hash of its secret, never the secret. */
const StoredToken = TokenInfo.omit({ lastUsedAt: true }).extend({
  hash: z.string().regex(/^[0-9a-f]{64}$/, "expected a SHA-256 in hex"),
});
/** A token as it is kept: with the hash of its secret, never the secret. */
export type StoredToken = z.infer<typeof StoredToken>;

const StoredTokens = z.strictObject({
  version: z.literal(FILE_VERSION),
  tokens: z.array(StoredToken),
});

/** The two files of the state directory: all tokens by hash, and the operator's own secret. */
export class TokenFile {
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
      // What JSON.parse says may quote the file; the cause is for debuggers, the message for logs.
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
