import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

/** 256 bits cannot be guessed. */
const SECRET_BYTES = 32;

/** The prefix lets people and secret scanners recognise it. */
export const makeSecret = (prefix: string): string =>
  `${prefix}${randomBytes(SECRET_BYTES).toString("base64url")}`;

/** What is stored of a secret. */
export const hashSecret = (secret: string | Buffer): Buffer =>
  createHash("sha256").update(secret).digest();

/** Constant time. */
export const isSameHash = (one: Buffer, other: Buffer): boolean =>
  one.byteLength === other.byteLength && timingSafeEqual(one, other);
