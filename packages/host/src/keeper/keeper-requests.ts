import { NacreError } from "@nacre/contracts/plain";
import type { Fields } from "./wire-fields.ts";

/** How often it is looked whether a keeper that owes an answer says anything. */
const CHECK_MS = 500;

/** A keeper that has nothing to say for two looks is asked whether it is there. */
const CHECKS_BEFORE_PING = 2;

/** After so many looks without a word (5 s) nobody waits any longer. */
const MAX_CHECKS = 10;

interface KeeperHeartbeatDeps {
  /** Asks for a word, whatever it is. */
  ping(): void;
  /** The keeper owes answers and says nothing. */
  onSilent(): void;
  /** It has said something again. */
  onAlive(): void;
}

/** Notices a keeper that is there and does not answer, such as one that was stopped. Looks are counted, not time: whoever was stopped as long as its keeper has to listen first. */
class KeeperHeartbeat implements Disposable {
  readonly #deps: KeeperHeartbeatDeps;
  #timer: NodeJS.Timeout | undefined;
  #checks = 0;
  #isSilent = false;

  constructor(deps: KeeperHeartbeatDeps) {
    this.#deps = deps;
  }

  /** Whether it is not worth asking for anything. */
  get isSilent(): boolean {
    return this.#isSilent;
  }

  /** Somebody waits for an answer. */
  expect(): void {
    if (this.#timer) return;
    this.#checks = 0;
    this.#timer = setInterval(() => this.#check(), CHECK_MS).unref();
  }

  /** The keeper said something; tells whether more is owed. */
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

/** A request that was not answered yet. */
interface PendingRequest {
  /** Called when the answer is read, before anything that follows it. */
  resolve(answer: Fields): void;
  reject(error: unknown): void;
  /** Whether nobody waits any longer. */
  isLate?: boolean;
}

/** What a request is made of. */
export interface KeeperCall<Result> {
  readonly send: (value: number) => void;
  readonly take: (answer: Fields) => Result;
  /** Gets what was made of an answer that nobody waits for any longer. */
  readonly undo?: (late: Result) => void;
}

/** How a keeper is asked whether it is there, and who is told that it says nothing. */
export interface KeeperRequestsDeps {
  readonly ping: () => void;
  readonly handleSilence: (isSilent: boolean) => void;
}

/** What a keeper was asked for and has not answered; it is not waited for for ever. */
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

  /** Whether the keeper is there and does not answer. */
  get isSilent(): boolean {
    return this.#heartbeat.isSilent;
  }

  /** Asks; `unavailable` when no answer comes. */
  ask<Result>({ send, take, undo }: KeeperCall<Result>): Promise<Result> {
    // What a silent keeper is told now it would do at some time, when nobody expects it.
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

  /** The keeper said something, whatever it was. */
  noteTraffic(): void {
    this.#heartbeat.noteTraffic(this.#pending.size > 0);
  }

  /** Nothing will be answered any more. */
  close(loss: NacreError): void {
    this.#heartbeat[Symbol.dispose]();
    for (const waiting of this.#pending.values()) waiting.reject(loss);
    this.#pending.clear();
  }

  /** Those who wait are told that nobody knows; the answers may still come. */
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
  new NacreError("unavailable", "the keeper does not answer; whether it was done is not known", {
    suggestion: "Its programs are as they were. Look whether its process was stopped, then go on.",
  });
