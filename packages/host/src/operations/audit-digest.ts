import { createHmac, type Hmac, randomBytes } from "node:crypto";

const KEY_BYTES = 32;

/** Tells in the audit whether two inputs were the same, without saying what they were: who does not have the key cannot try what would give a digest. */
export class AuditDigest {
  /** It ends with the process and is written nowhere, so that no file helps to guess what was typed. */
  readonly #key = randomBytes(KEY_BYTES);

  of(bytes: Uint8Array | string): string {
    return this.begin().update(bytes).digest("hex");
  }

  /** For bytes that come in pieces. */
  begin(): Hmac {
    return createHmac("sha256", this.#key);
  }
}
