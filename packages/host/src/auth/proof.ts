import { createHmac, randomBytes } from "node:crypto";
import { z } from "zod";
import type { Tokens } from "./tokens.ts";
import { hashSecret } from "./secret.ts";

/** Where anybody may ask the host to prove that it knows a token, before sending that token to it. */
export const PROOF_PATH = "/api/proof";

/** Names a token without telling it: enough to find it among those of a host. */
const CREDENTIAL_LENGTH = 16;

/** What a client sends before it trusts whoever listens here with its token. */
export const ProofInput = z
  .strictObject({
    credential: z
      .string()
      .regex(/^[0-9a-f]{16}$/, "expected 16 hex digits")
      .meta({
        description: "First 16 hex digits of SHA-256 of SHA-256 of the token.",
      }),
    nonce: z
      .string()
      .regex(/^[A-Za-z0-9_-]{22,128}$/, "expected 22 to 128 letters, digits, `_` or `-`")
      .meta({ description: "What the client made up for this one question, at least 128 bits." }),
  })
  .meta({ description: "Asks the host to prove that it knows a token." });
export type ProofInput = z.infer<typeof ProofInput>;

/** What only a host that knows the token can answer. */
export const ProofResult = z
  .strictObject({
    proof: z.string().meta({
      description:
        "HMAC-SHA-256 in hex of the `Host` that was asked, a line feed and the nonce; its key is SHA-256 of the token.",
    }),
  })
  .meta({ description: "The proof that the host knows the token." });
export type ProofResult = z.infer<typeof ProofResult>;

/** Proves to know tokens. Of one it does not know it gives an answer that looks the same, so that nobody learns which exist. */
export class Prover {
  readonly #tokens: Pick<Tokens, "keys">;
  readonly #unknown = randomBytes(32);
  /** By the hash of each token: anybody may ask, so that an answer must not cost a hash per token. */
  readonly #credentials = new WeakMap<Buffer, string>();

  constructor(tokens: Pick<Tokens, "keys">) {
    this.#tokens = tokens;
  }

  /** The answer is good for one address: who stands at another cannot have it from here. */
  prove({ credential, nonce }: ProofInput, host: string): ProofResult {
    // A key of its own for each, as a known one has, and the same when asked again.
    let key: Buffer = createHmac("sha256", this.#unknown).update(credential).digest();
    for (const { hash } of this.#tokens.keys()) {
      if (this.#credentialOf(hash) === credential) key = hash;
    }
    return { proof: createHmac("sha256", key).update(`${host}\n${nonce}`).digest("hex") };
  }

  #credentialOf(hash: Buffer): string {
    const known = this.#credentials.get(hash);
    if (known !== undefined) return known;
    const credential = credentialOf(hash);
    this.#credentials.set(hash, credential);
    return credential;
  }
}

const credentialOf = (hash: Buffer): string =>
  hashSecret(hash).toString("hex").slice(0, CREDENTIAL_LENGTH);
