import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

/** 256 bits: no guessing, however fast. */
const SECRET_BYTES = 32;

/** Makes a secret that nobody can guess: the prefix says what it is for, so that people and scanners recognise it. */
export const makeSecret = (prefix: string): string =>
  `${prefix}${randomBytes(SECRET_BYTES).toString("base64url")}`;

/** What is kept of a secret; it does not lead back. */
export const hashSecret = (secret: string | Buffer): Buffer =>
  createHash("sha256").update(secret).digest();

/** Compares in a time that tells nothing about where two hashes differ. */
export const isSameHash = (one: Buffer, other: Buffer): boolean =>
  one.byteLength === other.byteLength && timingSafeEqual(one, other);
