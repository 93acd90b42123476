// A scripted shell for tests: marker letters and typed input.
import { CommandId } from "@nacre/contracts";
import type { Marker } from "../../shell/marker.ts";
import type { CommandFact } from "../command-state.ts";
import { CommandTracker, type CommandTrackerOptions } from "../command-tracker.ts";

type MarkerKind = Marker extends infer One
  ? One extends Marker
    ? Omit<One, "quality">
    : never
  : never;

export class Story {
  readonly facts: CommandFact[] = [];
  readonly tracker: CommandTracker;
  nowMs = 1000;
  quality: Marker["quality"] = "exact";
  #commands = 0;

  constructor(options: Partial<CommandTrackerOptions> = {}) {
    this.tracker = new CommandTracker({
      quality: "exact",
      newCommandId: () => CommandId.parse(`c${++this.#commands}`),
      ...options,
    });
  }

  say(...markers: readonly Marker[]): this {
    for (const one of markers) {
      const marker = { ...one, quality: this.quality };
      this.facts.push(...this.tracker.handleMarker(marker, this.nowMs));
    }
    return this;
  }

  type(keys: string): this {
    this.facts.push(...this.tracker.handleInput(Buffer.from(keys), this.nowMs));
    return this;
  }

  idle({ lineEditor = true, forMs = 0 } = {}): this {
    this.facts.push(...this.tracker.handleForeground({ kind: "shellIdle", lineEditor, forMs }));
    return this;
  }

  job(): this {
    this.facts.push(...this.tracker.handleForeground({ kind: "jobRuns" }));
    return this;
  }

  replace(name: string, isShell: boolean): this {
    this.facts.push(...this.tracker.handleForeground({ kind: "shellReplaced", name, isShell }));
    return this;
  }

  exit(): this {
    this.facts.push(...this.tracker.handleExit(this.nowMs));
    return this;
  }

  wait(ms: number): this {
    this.nowMs += ms;
    return this;
  }

  get lines(): readonly string[] {
    return this.facts.flatMap((fact) => (fact.type === "command" ? [fact.commandLine] : []));
  }
}

const mark = (kind: MarkerKind): Marker => ({ ...kind, quality: "exact" });
export const A = mark({ kind: "promptStart" });
export const B = mark({ kind: "promptEnd" });
export const F = mark({ kind: "continuationStart" });
export const G = mark({ kind: "continuationEnd" });
export const C = mark({ kind: "commandStart" });
export const D = (exitCode?: number): Marker =>
  mark({ kind: "commandEnd", ...(exitCode !== undefined && { exitCode }) });
export const E = (line: string): Marker => mark({ kind: "commandLine", line });
export const P = (path: string): Marker => mark({ kind: "cwd", path });
