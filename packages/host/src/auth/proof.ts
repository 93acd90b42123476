import { createHmac, randomBytes } from "node:crypto";
import { z } from "zod";
import type { Tokens } from "./tokens.ts";
import { hashSecret } from "./secret.ts";

/** Here a host proves that it knows a token, before a client sends that token. */
export const PROOF_PATH = "/api/proof";

/** A digest prefix: names a token without revealing it. */
const CREDENTIAL_LENGTH = 16;

/** Sent before a client trusts a listener with its token. */
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

/** Only a host that knows the token can compute it. */
export const ProofResult = z
  .strictObject({
    proof: z.string().meta({
      description:
        "HMAC-SHA-256 in hex of the `Host` that was asked, a line feed and the nonce; its key is SHA-256 of the token.",
    }),
  })
  .meta({ description: "The proof that the host knows the token." });
export type ProofResult = z.infer<typeof ProofResult>;

/** Proves knowledge of tokens. For an unknown one the answer looks the same, so that nobody learns which exist. */
export class Prover {
  readonly #tokens: Pick<Tokens, "keys">;
  readonly #unknown = randomBytes(32);
  /** Cached by token hash: anybody may ask, so an answer must not cost a hash per token. */
  readonly #credentials = new WeakMap<Buffer, string>();

  constructor(tokens: Pick<Tokens, "keys">) {
    this.#tokens = tokens;
  }

  /** Bound to one address: a listener elsewhere cannot relay it. */
  prove({ credential, nonce }: ProofInput, host: string): ProofResult {
    // A stable key per unknown credential, as a known one has.
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
