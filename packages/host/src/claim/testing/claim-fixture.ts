import type { Claim } from "@nacre/contracts";
import { ClaimHolder } from "../claim-holder.ts";
import type { ClaimChange } from "../claim-rules.ts";

const SINCE = "2026-01-31T09:00:00.000Z";

/** A claim with a log of its reports; recording blocks while the gate is closed. */
export class ClaimFixture {
  readonly recorded: ClaimChange[] = [];
  readonly changed: (ClaimChange | undefined)[] = [];
  readonly failed: unknown[] = [];
  readonly holder: ClaimHolder;
  #gate: Promise<void> = Promise.resolve();
  #brokenTimes = 0;

  constructor(claim: Claim, first?: Claim) {
    this.holder = new ClaimHolder({
      state: { claim, epoch: 1, since: SINCE },
      ...(first === undefined ? {} : { first }),
      log: {
        record: async (change) => {
          await this.#gate;
          if (this.#brokenTimes > 0) {
            this.#brokenTimes -= 1;
            throw new Error("disk full");
          }
          this.recorded.push(change);
        },
        changed: (change) => this.changed.push(change),
        failed: (error) => this.failed.push(error),
      },
    });
  }

  get claim(): Claim {
    return this.holder.state.claim;
  }

  get reasons(): readonly string[] {
    return this.recorded.map(({ reason }) => reason);
  }

  breakRecording(): void {
    this.#brokenTimes = 1;
  }

  /** Recording blocks until the returned function is called. */
  closeGate(): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#gate = promise;
    return resolve;
  }
}
