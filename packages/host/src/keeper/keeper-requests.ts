import { NacreError } from "@nacre/contracts/plain";
import type { Fields } from "./wire-fields.ts";

/** Interval of checks on a keeper that owes an answer. */
const CHECK_MS = 500;

/** A silent keeper gets a ping after this many checks. */
const CHECKS_BEFORE_PING = 2;

/** After so many checks in silence (5 s) requests fail. */
const MAX_CHECKS = 10;

interface KeeperHeartbeatDeps {
  /** Any answer will do. */
  ping(): void;
  onSilent(): void;
  onAlive(): void;
}

/**
 * Notices a keeper that is alive and does not answer, such as a stopped one. Checks are counted, not time: a daemon
 * stopped for as long as its keeper must listen first.
 */
class KeeperHeartbeat implements Disposable {
  readonly #deps: KeeperHeartbeatDeps;
  #timer: NodeJS.Timeout | undefined;
  #checks = 0;
  #isSilent = false;

  constructor(deps: KeeperHeartbeatDeps) {
    this.#deps = deps;
  }

  /** Requests would not be answered. */
  get isSilent(): boolean {
    return this.#isSilent;
  }

  expect(): void {
    if (this.#timer) return;
    this.#checks = 0;
    this.#timer = setInterval(() => this.#check(), CHECK_MS).unref();
  }

  /** `isMoreOwed`: further answers are pending. */
  noteTraffic(isMoreOwed: boolean): void {
    this.#checks = 0;
    if (!isMoreOwed) this[Symbol.dispose]();
    if (!this.#isSilent) return;
    this.#isSilent = false;
    this.#deps.onAlive();
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #check(): void {
    if (++this.#checks === CHECKS_BEFORE_PING) this.#deps.ping();
    if (this.#checks !== MAX_CHECKS) return;
    this.#isSilent = true;
    this.#deps.onSilent();
  }
}

interface PendingRequest {
  /** Called when the answer is read, before any later frame. */
  resolve(answer: Fields): void;
  reject(error: unknown): void;
  /** Nobody waits any more. */
  isLate?: boolean;
}

export interface KeeperCall<Result> {
  readonly send: (value: number) => void;
  readonly take: (answer: Fields) => Result;
  /** Gets the result of an answer that came too late. */
  readonly undo?: (late: Result) => void;
}

export interface KeeperRequestsDeps {
  readonly ping: () => void;
  readonly handleSilence: (isSilent: boolean) => void;
}

/** Pending requests to a keeper, with a bound on silence. */
export class KeeperRequests {
  readonly #pending = new Map<number, PendingRequest>();
  readonly #heartbeat: KeeperHeartbeat;
  #last = 0;

  constructor({ ping, handleSilence }: KeeperRequestsDeps) {
    this.#heartbeat = new KeeperHeartbeat({
      ping,
      onSilent: () => {
        this.#giveUp();
        handleSilence(true);
      },
      onAlive: () => handleSilence(false),
    });
  }

  /** Alive but not answering. */
  get isSilent(): boolean {
    return this.#heartbeat.isSilent;
  }

  /** Rejects with `unavailable` when no answer comes. */
  ask<Result>({ send, take, undo }: KeeperCall<Result>): Promise<Result> {
    // A silent keeper would execute it at some later time, when nobody expects it.
    if (this.isSilent) return Promise.reject(notAnsweringError());
    const value = ++this.#last;
    this.#heartbeat.expect();
    return new Promise((resolve, reject) => {
      const waiting: PendingRequest = {
        resolve: (answer) => {
          const result = take(answer);
          if (waiting.isLate) undo?.(result);
          else resolve(result);
        },
        reject,
      };
      this.#pending.set(value, waiting);
      send(value);
    });
  }

  resolve(value: number, readAnswer: () => Fields): void {
    this.#settle(value, (one) => one.resolve(readAnswer()));
  }

  reject(value: number, readError: () => unknown): void {
    this.#settle(value, (one) => one.reject(readError()));
  }

  noteTraffic(): void {
    this.#heartbeat.noteTraffic(this.#pending.size > 0);
  }

  close(loss: NacreError): void {
    this.#heartbeat[Symbol.dispose]();
    for (const waiting of this.#pending.values()) waiting.reject(loss);
    this.#pending.clear();
  }

  /** The outcome is unknown; answers may still come. */
  #giveUp(): void {
    for (const waiting of this.#pending.values()) {
      waiting.isLate = true;
      waiting.reject(notAnsweringError());
    }
  }

  #settle(value: number, settle: (waiting: PendingRequest) => void): void {
    const waiting = this.#pending.get(value);
    this.#pending.delete(value);
    if (!waiting) return;
    try {
      settle(waiting);
    } catch (error) {
      waiting.reject(error);
    }
  }
}

const notAnsweringError = (): NacreError =>
  new NacreError("unavailable", "the keeper does not answer; the outcome is unknown", {
    suggestion:
      "Its programs are unaffected. Check whether its process is stopped, then try again.",
  });
