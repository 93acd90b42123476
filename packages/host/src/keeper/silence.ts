/** How often it is looked whether a keeper that owes an answer says anything. */
const CHECK_MS = 500;

/** A keeper that has nothing to say for two looks is asked whether it is there. */
const CHECKS_BEFORE_PING = 2;

/** After so many looks without a word (5 s) nobody waits any longer. */
const MAX_CHECKS = 10;

/** Who asks, and is told. */
export interface KeeperHeartbeatDeps {
  /** Asks for a word, whatever it is. */
  ping(): void;
  /** The keeper owes answers and says nothing. */
  onSilent(): void;
  /** It has said something again. */
  onAlive(): void;
}

/** Notices a keeper that is there and does not answer, such as one that was stopped. Looks are counted, not time: whoever was stopped as long as its keeper has to listen first. */
export class KeeperHeartbeat implements Disposable {
  readonly #deps: KeeperHeartbeatDeps;
  #timer: NodeJS.Timeout | undefined;
  #checks = 0;
  #isSilent = false;

  constructor(parts: KeeperHeartbeatDeps) {
    this.#deps = parts;
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
