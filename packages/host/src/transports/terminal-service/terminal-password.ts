import { NacreError } from "@nacre/contracts";
import { type Clock, SYSTEM_CLOCK } from "../../base/clock.ts";
import { hashSecret, isSameHash, makeSecret } from "../../auth/secret.ts";
import { FailedAuthLimiter } from "../../auth/failed-auth-limiter.ts";

/** A day, as the terminal service documents. */
export const TERMINAL_TOKEN_MS = 24 * 60 * 60 * 1000;

/** A password can be guessed: few tries per source and minute. */
const MAX_WRONG_PASSWORDS = 5;

/** The oldest login is dropped. */
const MAX_LOGINS = 1024;

const TOKEN_PREFIX = "term-";

export interface TerminalPasswordOptions {
  /** Absent or empty: no password. */
  readonly password?: string | undefined;
  readonly clock?: Clock;
}

export interface TerminalLogin {
  readonly token: string;
  readonly expiresInMs: number;
}

/** The terminal service's password, required in addition to the credential; neither it nor a token is kept in clear. */
export class TerminalPassword {
  readonly #hash: Buffer | undefined;
  readonly #clock: Clock;
  readonly #throttle: FailedAuthLimiter;
  /** Expiry by token hash, oldest login first. */
  readonly #logins = new Map<string, number>();

  constructor({ password, clock = SYSTEM_CLOCK }: TerminalPasswordOptions) {
    this.#hash = password === undefined || password === "" ? undefined : hashSecret(password);
    this.#clock = clock;
    this.#throttle = new FailedAuthLimiter({
      clock,
      free: MAX_WRONG_PASSWORDS,
      most: MAX_WRONG_PASSWORDS,
    });
  }

  get isRequired(): boolean {
    return this.#hash !== undefined;
  }

  /** Throws `unauthenticated`, or `limit_reached` after too many wrong passwords. */
  login(password: string, source: string): TerminalLogin {
    // The right one waits, too: otherwise the limit would not stop guessing.
    if (this.#throttle.isSpent(source)) {
      throw new NacreError("limit_reached", "too many wrong passwords, try again in a minute");
    }
    if (this.#hash !== undefined && !isSameHash(hashSecret(password), this.#hash)) {
      this.#throttle.fail(source);
      throw new NacreError("unauthenticated", "Invalid password");
    }
    const token = makeSecret(TOKEN_PREFIX);
    this.#logins.set(hashToken(token), this.#clock.monotonicMs() + TERMINAL_TOKEN_MS);
    const [oldest] = this.#logins.keys();
    if (oldest !== undefined && this.#logins.size > MAX_LOGINS) this.#logins.delete(oldest);
    return { token, expiresInMs: TERMINAL_TOKEN_MS };
  }

  /** Always true where no password is set. */
  isLoggedIn(token: string | undefined): boolean {
    if (this.#hash === undefined) return true;
    const expiresAt = token === undefined ? undefined : this.#logins.get(hashToken(token));
    return expiresAt !== undefined && expiresAt > this.#clock.monotonicMs();
  }

  /** Idempotent. */
  logout(token: string): void {
    this.#logins.delete(hashToken(token));
  }
}

/** Looking up by hash reveals nothing: nobody can choose the hash of an unknown token. */
const hashToken = (token: string): string => hashSecret(token).toString("hex");
