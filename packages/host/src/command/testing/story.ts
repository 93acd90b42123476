// A shell in short, for tests: what it says, by the letters of its markers, and what is typed into it.
import { CommandId } from "@nacre/contracts";
import type { Marker } from "../../shell/marker.ts";
import type { CommandFact } from "../command-state.ts";
import { CommandTracker, type CommandTrackerOptions } from "../command-tracker.ts";

type MarkerKind = Marker extends infer One
  ? One extends Marker
    ? Omit<One, "quality">
    : never
  : never;

/** A shell, in short: what it says and what is typed into it, with all facts that followed. */
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
/** The prompt begins. */
export const A = mark({ kind: "promptStart" });
/** The prompt ends, and typing begins. */
export const B = mark({ kind: "promptEnd" });
/** The prompt for the rest of a line begins. */
export const F = mark({ kind: "continuationStart" });
/** The prompt for the rest of a line ends. */
export const G = mark({ kind: "continuationEnd" });
/** The command starts. */
export const C = mark({ kind: "commandStart" });
/** The command ended. */
export const D = (exitCode?: number): Marker =>
  mark({ kind: "commandEnd", ...(exitCode !== undefined && { exitCode }) });
/** The command line is this. */
export const E = (line: string): Marker => mark({ kind: "commandLine", line });
/** The working directory is this. */
export const P = (path: string): Marker => mark({ kind: "cwd", path });
