import {
  DEFAULT_TERMINALS_PER_AGENT,
  MAX_TERMINALS,
  NacreError,
  type Scope,
  type TerminalOwnerReference,
} from "@nacre/contracts";

export interface TerminalLimits {
  /** Running at once, 1 to 1000. */
  readonly maxTerminals: number;
  /** Running at once per owner. */
  readonly maxPerOwner: number;
  /** Running at once per agent, whatever its owner may have. */
  readonly maxPerAgent: number;
  /** Sustained rate. */
  readonly maxCreatesPerSecond: number;
}

/** The number is bounded by the machine, the rate only stops a runaway program. */
const DEFAULT_LIMITS: TerminalLimits = {
  maxTerminals: MAX_TERMINALS,
  maxPerOwner: MAX_TERMINALS,
  maxPerAgent: DEFAULT_TERMINALS_PER_AGENT,
  maxCreatesPerSecond: 200,
};

/** This many seconds of the rate may come at once. */
const BURST_SECONDS = 5;

/** A place is taken before anything is awaited, so that parallel creates cannot exceed the limit. */
export class CreateLimits {
  readonly #limits: TerminalLimits;
  readonly #now: () => number;
  readonly #perOwner = new Map<string, number>();
  #maxTerminals: number;
  #count = 0;
  #credit: number;
  #creditAt: number;

  constructor(limits: Partial<TerminalLimits> = {}, now: () => number = () => performance.now()) {
    this.#limits = { ...DEFAULT_LIMITS, ...limits };
    this.#now = now;
    this.#maxTerminals = checkMax(this.#limits.maxTerminals);
    this.#credit = this.#limits.maxCreatesPerSecond * BURST_SECONDS;
    this.#creditAt = now();
  }

  get count(): number {
    return this.#count;
  }

  get present(): TerminalLimits {
    return { ...this.#limits, maxTerminals: this.#maxTerminals };
  }

  get maxTerminals(): number {
    return this.#maxTerminals;
  }

  /** Running terminals are not ended. */
  set maxTerminals(count: number) {
    this.#maxTerminals = checkMax(count);
  }

  /** Throws `limit_reached`; disposing gives the place back. */
  take(owner: TerminalOwnerReference, scope?: Scope): Disposable {
    const owned = this.#perOwner.get(keyOf(owner)) ?? 0;
    const { maxPerAgent, maxCreatesPerSecond } = this.#limits;
    const maxPerOwner = Math.min(
      this.#limits.maxPerOwner,
      scope === "agent" ? maxPerAgent : Number.POSITIVE_INFINITY,
    );
    if (this.#count >= this.#maxTerminals) {
      throw limitReached(`${this.#count} of ${this.#maxTerminals} terminals are running`);
    }
    if (owned >= maxPerOwner) {
      const name = `${owner.entityName} ${owner.entityId}`;
      throw limitReached(`${name} has ${owned} of ${maxPerOwner} terminals running`);
    }
    this.#refill();
    if (this.#credit < 1) {
      throw limitReached(`more than ${maxCreatesPerSecond} terminals per second were created`);
    }
    this.#credit--;
    return this.takeAnyway(owner);
  }

  /** For what runs already, whatever the limits. */
  takeAnyway(owner: TerminalOwnerReference): Disposable {
    const key = keyOf(owner);
    this.#count++;
    this.#perOwner.set(key, (this.#perOwner.get(key) ?? 0) + 1);
    let isTaken = true;
    return {
      [Symbol.dispose]: () => {
        if (isTaken) this.#giveBack(key);
        isTaken = false;
      },
    };
  }

  #giveBack(key: string): void {
    this.#count--;
    const rest = (this.#perOwner.get(key) ?? 1) - 1;
    if (rest === 0) this.#perOwner.delete(key);
    else this.#perOwner.set(key, rest);
  }

  #refill(): void {
    const now = this.#now();
    const { maxCreatesPerSecond } = this.#limits;
    const earned = ((now - this.#creditAt) / 1000) * maxCreatesPerSecond;
    this.#credit = Math.min(maxCreatesPerSecond * BURST_SECONDS, this.#credit + earned);
    this.#creditAt = now;
  }
}

const keyOf = ({ entityName, entityId }: TerminalOwnerReference): string =>
  JSON.stringify([entityName, entityId]);

function checkMax(count: number): number {
  if (Number.isInteger(count) && count >= 1 && count <= MAX_TERMINALS) return count;
  const message = `maxTerminals: must be an integer from 1 to ${MAX_TERMINALS}, not ${count}`;
  throw new NacreError("invalid_argument", message, { field: "maxTerminals" });
}

const limitReached = (message: string): NacreError =>
  new NacreError("limit_reached", message, {
    suggestion: "End a terminal that is not needed, or raise the limit.",
  });
