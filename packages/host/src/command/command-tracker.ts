import { randomUUID } from "node:crypto";
import {
  type CommandEndedBy,
  CommandId,
  type CommandQuality,
  MAX_COMMAND_LINE_LENGTH,
} from "@nacre/contracts";
import type { Marker } from "../shell/marker.ts";
import type {
  CommandFact,
  CommandPhase,
  CommandState,
  ForegroundSignal,
  ResumedCommands,
  RunningCommand,
} from "./command-state.ts";
import { type KnownLine, CommandLineResolver } from "./command-line-resolver.ts";

/** Linux refuses longer paths. */
const MAX_PATH_LENGTH = 4096;

/** A path as the recording takes it: absolute on any system, and without what would end it early. */
const isRecordable = (path: string): boolean =>
  path.length <= MAX_PATH_LENGTH &&
  /^(?:\/|[A-Za-z]:[\\/]|\\\\)/.test(path) &&
  !path.includes("\0") &&
  path.isWellFormed();

/** Follows the working directory of a shell; what anyone could print counts only while the shell itself says nothing. */
class CwdTracker {
  #path: string | undefined;
  #isVerified = false;

  get path(): string | undefined {
    return this.#path;
  }

  /** The directory to name with a command of this quality, so that nothing forged passes for exact. */
  pathFor(quality: CommandQuality): string | undefined {
    return this.#isVerified || quality !== "exact" ? this.#path : undefined;
  }

  /** Takes a directory that was named; returns what to record, which is nothing where nothing changed. */
  change(path: string, quality: "exact" | "marker"): readonly CommandFact[] {
    if (!isRecordable(path)) return [];
    const isVerified = quality === "exact";
    if (!isVerified && this.#isVerified) return [];
    const isNew = path !== this.#path || isVerified !== this.#isVerified;
    this.#path = path;
    this.#isVerified = isVerified;
    return isNew ? [{ type: "cwd", cwd: path, quality }] : [];
  }

  /** The shell that named directories is gone; the last one stays until another is named. */
  distrust(): void {
    this.#isVerified = false;
  }
}

/** A shell that idles this long in a command has lost its markers; a person may think that long before a builtin's question. */
const LOST_MARKERS_MS = 5000;

/** A shell that is at its prompt this long without a word of it has no markers; what it wrote may be a while on its way. */
const NO_MARKERS_MS = 500;

export interface CommandTrackerOptions {
  /** What shell integration was injected: full, by the prompt alone, or nothing. */
  readonly quality: "exact" | "estimated" | "none";
  /** True when the shell reports its lines as they were typed, not from a history that joins them. */
  readonly reportsVerbatim?: boolean;
  readonly newCommandId?: () => CommandId;
  /** What was known in another host of a shell that showed its markers there. */
  readonly resumed?: ResumedCommands | undefined;
}

/** Where knowledge of commands comes from now: nowhere, the shell's own markers, those of others, or its processes. */
type DetectionSource = "none" | "shell" | "foreign" | "watch";

/** How a command ended, and when, where that is known. */
interface CommandEnding {
  readonly endedBy: CommandEndedBy;
  readonly atMs?: number;
  readonly exitCode?: number | undefined;
}

/** Follows the commands of one shell: is told what happened, in order, and returns what to record. */
export class CommandTracker {
  readonly #options: CommandTrackerOptions;
  readonly #line: CommandLineResolver;
  readonly #cwd = new CwdTracker();
  #source: DetectionSource = "none";
  #phase: CommandPhase;
  #detection = false;
  #command: RunningCommand | undefined;
  #sawJob = false;

  constructor(options: CommandTrackerOptions) {
    this.#options = options;
    this.#line = new CommandLineResolver(options.reportsVerbatim === true);
    this.#phase = options.quality === "none" ? "unknown" : "starting";
    if (options.resumed) this.#resume(options.resumed);
  }

  get state(): CommandState {
    const cwd = this.#cwd.path;
    return {
      phase: this.#phase,
      quality: this.#quality,
      detection: this.#detection,
      hasMarkers: this.#hasMarkers,
      ...(this.#command && { command: this.#command }),
      ...(cwd !== undefined && { cwd }),
    };
  }

  /** Text typed before the prompt that may stand there now: no program is known to have read it. */
  get typedAhead(): string {
    return this.#phase === "prompt" ? this.#line.ahead : "";
  }

  /** Announces the line that a caller is about to send itself, so that it is known whatever its keys look like. */
  expectLine(line: string | undefined): void {
    this.#line.expect(line);
  }

  /** A shell that runs nothing is at its prompt; if it is only about to show it, its markers say so in a moment. */
  #resume({ command, cwd, reported, typed = [] }: ResumedCommands): void {
    this.#source = "shell";
    this.#detection = true;
    this.#command = command;
    this.#phase = command ? "running" : "prompt";
    if (cwd !== undefined) this.#cwd.change(cwd, "exact");
    for (const bytes of typed) this.#line.feed(bytes);
    if (!command) this.#line.startPrompt();
    if (reported) this.#line.report(reported);
  }

  /** Takes input that callers sent, before the shell can have acted on it. */
  handleInput(bytes: Uint8Array, atMs: number): readonly CommandFact[] {
    const { submitted } = this.#line.feed(bytes);
    if (submitted === 0 || !this.#beginsByInput) return [];
    if (this.#phase === "continuation" && this.#command) this.#phase = "running";
    if (this.#phase !== "prompt") return [];
    const sent = this.#line.takeSent();
    return sent === undefined ? [] : [this.#begin(sent, atMs)];
  }

  /** Takes note of input that must not be kept, so that no secret can ever pass for a command line. */
  handleHiddenInput(): void {
    this.#line.noteHidden();
  }

  /** Takes a marker, in its place in the output. */
  handleMarker(marker: Marker, atMs: number): readonly CommandFact[] {
    if (marker.quality === "marker" && this.#source === "shell") return [];
    if (marker.kind === "cwd") return this.#cwd.change(marker.path, marker.quality);
    this.#source = marker.quality === "exact" ? "shell" : "foreign";
    this.#detection = true;
    switch (marker.kind) {
      case "promptStart":
        this.#phase = "starting";
        return this.#end({ endedBy: "prompt", atMs });
      case "promptEnd":
        this.#startPrompt();
        return this.#end({ endedBy: "prompt", atMs });
      case "continuationStart":
        this.#line.noteContinuation();
        this.#continue();
        return [];
      case "continuationEnd":
        this.#continue();
        return [];
      case "commandLine":
        this.#line.report(marker);
        return [];
      case "commandStart": {
        const ended = this.#end({ endedBy: "prompt", atMs });
        return [...ended, this.#begin(this.#line.takeStarted(marker), atMs)];
      }
      case "commandEnd":
        if (this.#command) this.#phase = "starting";
        return this.#end({ endedBy: "marker", atMs, exitCode: marker.exitCode });
    }
  }

  /** Takes a directory that the output names in a form that anyone could print. */
  handleUnverifiedCwd(path: string): readonly CommandFact[] {
    return this.#source === "shell" ? [] : this.#cwd.change(path, "marker");
  }

  /** Takes what watching the processes shows: the signals for a shell whose markers are not there. */
  handleForeground(signal: ForegroundSignal): readonly CommandFact[] {
    switch (signal.kind) {
      case "jobRuns":
        this.#sawJob = this.#command !== undefined;
        return [];
      case "shellReplaced":
        this.#source = signal.isShell ? "watch" : "none";
        this.#cwd.distrust();
        this.#line.clear();
        if (!this.#command) this.#phase = signal.isShell ? "starting" : "unknown";
        return [];
      case "shellIdle":
        return this.#handleIdle(signal.lineEditor, signal.forMs);
    }
  }

  /** The shell is gone, and with it any command whose end nobody saw. */
  handleExit(atMs: number): readonly CommandFact[] {
    this.#phase = "unknown";
    return this.#end({ endedBy: "exit", atMs });
  }

  get #quality(): CommandQuality {
    switch (this.#source) {
      case "none":
        return "none";
      case "shell":
        return this.#options.quality === "estimated" ? "estimated" : "exact";
      case "foreign":
        return "marker";
      case "watch":
        return "estimated";
    }
  }

  get #hasMarkers(): boolean {
    return this.#source === "shell" || this.#source === "foreign";
  }

  /** Such a shell does not say that a command starts, so the line that is sent off has to do. */
  get #beginsByInput(): boolean {
    return this.#quality === "estimated";
  }

  #handleIdle(lineEditor: boolean, forMs: number): readonly CommandFact[] {
    if (this.#phase === "prompt" || this.#phase === "continuation") return [];
    const hasMarkers = this.#hasMarkers;
    // A question in a start-up file, or of a builtin, is no prompt where a marker would tell of the prompt.
    const expectsMarkers = this.#source === "none" && this.#options.quality !== "none";
    if (!lineEditor && (hasMarkers || expectsMarkers)) return [];
    if (hasMarkers && this.#command && forMs < LOST_MARKERS_MS) return [];
    if (expectsMarkers && forMs < NO_MARKERS_MS) return [];
    if (!hasMarkers || this.#command) this.#source = "watch";
    this.#startPrompt();
    // When it ended is not known: the shell was only found waiting.
    return this.#end({ endedBy: this.#sawJob ? "foreground" : "prompt" });
  }

  #startPrompt(): void {
    this.#phase = "prompt";
    this.#line.startPrompt();
  }

  #continue(): void {
    // Where the command began by its first line it is the one that goes on; otherwise a running command asks nothing.
    if (!this.#command || this.#beginsByInput) this.#phase = "continuation";
  }

  #begin({ line, isExpected, isTruncated }: KnownLine, atMs: number): CommandFact {
    const commandLine = truncateLine(line);
    const quality = this.#quality;
    const cwd = this.#cwd.pathFor(quality);
    const command: RunningCommand = {
      commandId: this.#options.newCommandId?.() ?? CommandId.parse(randomUUID()),
      commandLine,
      ...(cwd !== undefined && { cwd }),
      quality,
      startedAtMs: atMs,
      isExpected,
    };
    this.#command = command;
    this.#phase = "running";
    this.#sawJob = false;
    return {
      type: "command",
      commandId: command.commandId,
      commandLine,
      ...((isTruncated || line.length > commandLine.length) && { commandLineTruncated: true }),
      ...(cwd !== undefined && { cwd }),
      quality,
    };
  }

  #end({ endedBy, atMs, exitCode }: CommandEnding): readonly CommandFact[] {
    const command = this.#command;
    if (!command) return [];
    this.#command = undefined;
    const durationMs =
      atMs === undefined ? undefined : Math.max(0, Math.round(atMs - command.startedAtMs));
    return [
      {
        type: "commandEnd",
        commandId: command.commandId,
        ...(exitCode !== undefined && { exitCode }),
        ...(durationMs !== undefined && { durationMs }),
        endedBy,
      },
    ];
  }
}

function truncateLine(line: string): string {
  const cut = line.slice(0, MAX_COMMAND_LINE_LENGTH);
  // A character that takes two places is kept whole or not at all.
  const isSplit = cut.length < line.length && /[\uD800-\uDBFF]$/.test(cut);
  return (isSplit ? cut.slice(0, -1) : cut).toWellFormed();
}
