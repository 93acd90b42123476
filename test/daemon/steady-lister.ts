import { Agent, get } from "node:http";
import type { DaemonProcess } from "../support/daemon-process.ts";

/** How long answers took. */
export interface Latency {
  readonly count: number;
  readonly halfMs: number;
  readonly slowMs: number;
}

/** A client with a right credential that lists terminals again and again, over one connection that is kept and over new ones. */
export class SteadyLister {
  readonly #daemon: DaemonProcess;
  readonly #kept = new Agent({ keepAlive: true, maxSockets: 1 });
  readonly #lanes: readonly Promise<void>[];
  readonly #times: Readonly<Record<"kept" | "fresh", number[]>> = { kept: [], fresh: [] };
  readonly #handleAnswer: () => void;
  #isOver = false;

  constructor(daemon: DaemonProcess, handleAnswer: () => void) {
    this.#daemon = daemon;
    this.#handleAnswer = handleAnswer;
    this.#lanes = [this.#lane(this.#kept, this.#times.kept), this.#lane(false, this.#times.fresh)];
  }

  /** Stops; throws unless every answer was right. */
  async stop(): Promise<Readonly<Record<"kept" | "fresh", Latency>>> {
    this.#isOver = true;
    await Promise.all(this.#lanes);
    this.#kept.destroy();
    return { kept: latencyOf(this.#times.kept), fresh: latencyOf(this.#times.fresh) };
  }

  async #lane(agent: Agent | false, times: number[]): Promise<void> {
    while (!this.#isOver) {
      const startedAt = performance.now();
      await this.#list(agent);
      times.push(performance.now() - startedAt);
      this.#handleAnswer();
    }
  }

  #list(agent: Agent | false): Promise<void> {
    const { port, token } = this.#daemon;
    const headers = { authorization: `Bearer ${token}` };
    return new Promise((resolve, reject) => {
      get({ host: "127.0.0.1", port, path: "/api/terminals", headers, agent }, (response) => {
        response.on("error", reject).on("end", () => {
          if (response.statusCode === 200) resolve();
          else reject(new Error(`a right request was answered with ${response.statusCode}`));
        });
        response.resume();
      }).on("error", reject);
    });
  }
}

function latencyOf(times: readonly number[]): Latency {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (part: number): number => sorted[Math.floor((sorted.length - 1) * part)] ?? 0;
  return { count: times.length, halfMs: at(0.5), slowMs: at(0.99) };
}
