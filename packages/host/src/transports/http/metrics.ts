import { monitorEventLoopDelay } from "node:perf_hooks";
import type { HostInfo } from "@nacre/contracts";
import type { MetricsSource } from "./route.ts";

/** Finer sampling costs more than it tells. */
const DELAY_RESOLUTION_MS = 20;

/** In seconds. */
interface EventLoopDelay {
  readonly mean: number;
  readonly p99: number;
  readonly max: number;
}

/** For `/metrics`. */
export class RequestCounts implements Disposable {
  readonly #requests = new Map<string, number>();
  readonly #delay = monitorEventLoopDelay({ resolution: DELAY_RESOLUTION_MS });
  #bytesOut = 0;
  #streams = 0;

  constructor() {
    this.#delay.enable();
  }

  /** By route name and status. */
  get requests(): readonly {
    readonly route: string;
    readonly status: string;
    readonly count: number;
  }[] {
    return [...this.#requests].map(([key, count]) => {
      const space = key.lastIndexOf(" ");
      return { route: key.slice(0, space), status: key.slice(space + 1), count };
    });
  }

  get bytesOut(): number {
    return this.#bytesOut;
  }

  get streams(): number {
    return this.#streams;
  }

  /** Since the last call. */
  takeDelay(): EventLoopDelay {
    const { mean, max } = this.#delay;
    const delay = {
      mean: toSeconds(mean),
      p99: toSeconds(this.#delay.percentile(99)),
      max: toSeconds(max),
    };
    this.#delay.reset();
    return delay;
  }

  /** By route name, of which there are few, never by path. */
  addRequest(route: string, status: number): void {
    const key = `${route} ${status}`;
    this.#requests.set(key, (this.#requests.get(key) ?? 0) + 1);
  }

  addBytes(count: number): void {
    this.#bytesOut += count;
  }

  addStreams(change: number): void {
    this.#streams += change;
  }

  [Symbol.dispose](): void {
    this.#delay.disable();
  }
}

/** NaN before the first sample. */
const toSeconds = (nanoseconds: number): number =>
  Number.isFinite(nanoseconds) && nanoseconds < 1e15 ? Math.max(0, nanoseconds) / 1e9 : 0;

export const METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8";

export interface Measurements {
  readonly host: HostInfo;
  readonly source: MetricsSource;
  readonly counts: RequestCounts;
  readonly memory: NodeJS.MemoryUsage;
}

interface Family {
  readonly name: string;
  readonly type: "gauge" | "counter";
  readonly help: string;
  readonly samples: readonly Sample[];
}

interface Sample {
  readonly labels?: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Prometheus text format. */
export function formatMetrics(measured: Measurements): string {
  return collectFamilies(measured).map(formatFamily).join("");
}

const STORAGE_STATES = ["ok", "low", "full", "failing"] as const;

const isBlocked = ({ storage: { state } }: HostInfo): boolean =>
  state === "full" || state === "failing";

const samplesBy = (label: string, counts: ReadonlyMap<string, number>): readonly Sample[] =>
  [...counts].map(([name, value]) => ({ labels: { [label]: name }, value }));

const samplesByKind = (values: object): readonly Sample[] =>
  samplesBy("kind", new Map(Object.entries(values)));

function collectFamilies({ host, source, counts, memory }: Measurements): readonly Family[] {
  const delay = counts.takeDelay();
  const connections = new Map([...source.connections(), ["eventStream", counts.streams]]);
  const family =
    (type: Family["type"]) =>
    (name: string, help: string, measured: number | undefined | readonly Sample[]): Family => ({
      name: `nacre_${name}`,
      type,
      help,
      samples: typeof measured === "number" ? [{ value: measured }] : (measured ?? []),
    });
  const [gauge, counter] = [family("gauge"), family("counter")];
  return [
    gauge("terminals_running", "Terminals that run.", host.terminals.running),
    gauge("terminals_max", "Terminals that may run at once.", host.limits.maxTerminals),
    gauge("connections", "Open connections by kind.", samplesBy("kind", connections)),
    counter(
      "http_requests_total",
      "Requests answered, by operation and status.",
      counts.requests.map(({ route, status, count }) => ({
        labels: { operation: route, status },
        value: count,
      })),
    ),
    counter("refusals_total", "Refusals by code.", samplesBy("code", source.refusals())),
    counter("http_sent_bytes_total", "Bytes of answers sent over HTTP.", counts.bytesOut),
    gauge(
      "event_loop_delay_seconds",
      "Delay of the event loop since the last reading.",
      samplesByKind(delay),
    ),
    gauge(
      "recorder_ok",
      "Whether recordings are written as they should: 1 or 0.",
      isBlocked(host) ? 0 : 1,
    ),
    gauge(
      "storage_state",
      "What the disk of the recordings is like: 1 for its state, 0 for the others.",
      STORAGE_STATES.map((state) => ({
        labels: { state },
        value: Number(host.storage.state === state),
      })),
    ),
    gauge(
      "storage_free_bytes",
      "Free space for recordings, when it was last looked at.",
      host.storage.freeBytes,
    ),
    gauge("storage_reserve_bytes", "Space that recordings leave free.", host.storage.reserveBytes),
    gauge(
      "recordings_damaged",
      "Recordings that were found to be damaged.",
      host.damagedRecordings ?? 0,
    ),
    gauge(
      "keeper_ok",
      "Whether the process that has the programs answers: 1 or 0; none where it is this one.",
      host.keeper && Number(host.keeper.state === "ok"),
    ),
    counter(
      "part_restarts_total",
      "Parts that ended by themselves and were started anew.",
      samplesBy("part", new Map(Object.entries(host.restarts ?? {}))),
    ),
    gauge("process_memory_bytes", "Memory of the process by kind.", samplesByKind(memory)),
  ];
}

const formatFamily = ({ name, type, help, samples }: Family): string =>
  [
    `# HELP ${name} ${help}`,
    `# TYPE ${name} ${type}`,
    ...samples.map(({ labels, value }) => `${name}${formatLabels(labels)} ${value}`),
    "",
  ].join("\n");

function formatLabels(labels: Readonly<Record<string, string>> | undefined): string {
  if (labels === undefined) return "";
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escapeLabel(value)}"`);
  return `{${pairs.join(",")}}`;
}

const escapeLabel = (value: string): string =>
  value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
