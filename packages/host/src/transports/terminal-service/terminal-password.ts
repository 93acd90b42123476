import { NacreError } from "@nacre/contracts";
import { type Clock, SYSTEM_CLOCK } from "../../base/clock.ts";
import { hashSecret, isSameHash, makeSecret } from "../../auth/secret.ts";
import { FailedAuthLimiter } from "../../auth/failed-auth-limiter.ts";

/** How long a terminal token is good for: a day, as the terminal service documents it. */
export const TERMINAL_TOKEN_MS = 24 * 60 * 60 * 1000;

/** A password can be guessed, so that a source has only few tries in a minute. */
const MAX_WRONG_PASSWORDS = 5;

/** Logins are remembered up to this many; the oldest is forgotten. */
const MAX_LOGINS = 1024;

const TOKEN_PREFIX = "term-";

export interface TerminalPasswordOptions {
  /** Nothing is asked where it is absent or empty. */
  readonly password?: string | undefined;
  readonly clock?: Clock;
}

/** A login to the terminal service. */
export interface TerminalLogin {
  readonly token: string;
  readonly expiresInMs: number;
}

/** The password of the terminal service, which is asked in addition to the credential; neither it nor a token is kept in clear. */
export class TerminalPassword {
  readonly #hash: Buffer | undefined;
  readonly #clock: Clock;
  readonly #throttle: FailedAuthLimiter;
  /** When each login ends, by the hash of its token, in the order in which they began. */
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

  /** Gives a token for the password; refuses with `unauthenticated`, or with `limit_reached` after too many wrong ones. */
  login(password: string, source: string): TerminalLogin {
    // Even a right one has to wait then: otherwise the limit would not stop guessing.
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

  /** Whether whoever shows this token may use terminals; anybody may where no password is set. */
  isLoggedIn(token: string | undefined): boolean {
    if (this.#hash === undefined) return true;
    const expiresAt = token === undefined ? undefined : this.#logins.get(hashToken(token));
    return expiresAt !== undefined && expiresAt > this.#clock.monotonicMs();
  }

  /** Ends a login; one that is not there is none. */
  logout(token: string): void {
    this.#logins.delete(hashToken(token));
  }
}

/** Looking up by the hash tells nothing about the token: who does not know it cannot choose its hash. */
const hashToken = (token: string): string => hashSecret(token).toString("hex");
