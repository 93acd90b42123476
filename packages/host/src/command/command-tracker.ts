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

/** PATH_MAX of Linux. */
const MAX_PATH_LENGTH = 4096;

/** Absolute on any system, without NUL. */
const isRecordable = (path: string): boolean =>
  path.length <= MAX_PATH_LENGTH &&
  /^(?:\/|[A-Za-z]:[\\/]|\\\\)/.test(path) &&
  !path.includes("\0") &&
  path.isWellFormed();

/**
 * Tracks the shell's working directory. Unverified reports (OSC 7) count only while the shell's own markers say
 * nothing.
 */
class CwdTracker {
  #path: string | undefined;
  #isVerified = false;

  get path(): string | undefined {
    return this.#path;
  }

  /** The directory to attach to a command of this quality: an unverified one never counts as exact. */
  pathFor(quality: CommandQuality): string | undefined {
    return this.#isVerified || quality !== "exact" ? this.#path : undefined;
  }

  /** Returns the facts to record; none when nothing changed. */
  change(path: string, quality: "exact" | "marker"): readonly CommandFact[] {
    if (!isRecordable(path)) return [];
    const isVerified = quality === "exact";
    if (!isVerified && this.#isVerified) return [];
    const isNew = path !== this.#path || isVerified !== this.#isVerified;
    this.#path = path;
    this.#isVerified = isVerified;
    return isNew ? [{ type: "cwd", cwd: path, quality }] : [];
  }

  /** The shell is gone; its last directory stays until another one is reported. */
  distrust(): void {
    this.#isVerified = false;
  }
}

/** A shell idle this long inside a command has lost its markers; a person may take that long to answer a builtin. */
const LOST_MARKERS_MS = 5000;

/** A shell idle at its prompt this long without a marker has none; its output may take a while to arrive. */
const NO_MARKERS_MS = 500;

export interface CommandTrackerOptions {
  /** Injected shell integration: full, prompt only, or none. */
  readonly quality: "exact" | "estimated" | "none";
  /** The shell reports lines as typed, not from a history that joins them. */
  readonly reportsVerbatim?: boolean;
  readonly newCommandId?: () => CommandId;
  /** State from the host that ran this shell before. */
  readonly resumed?: ResumedCommands | undefined;
}

/** Source of command detection: the shell's own markers, foreign markers, or process watching. */
type DetectionSource = "none" | "shell" | "foreign" | "watch";

interface CommandEnding {
  readonly endedBy: CommandEndedBy;
  readonly atMs?: number;
  readonly exitCode?: number | undefined;
}

/** Tracks the commands of one shell: takes events in order and returns the facts to record. */
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

  /** Text typed before the prompt that may stand there now. */
  get typedAhead(): string {
    return this.#phase === "prompt" ? this.#line.ahead : "";
  }

  /** Announces a line that a caller is about to type, so that it is known whatever its keys look like. */
  expectLine(line: string | undefined): void {
    this.#line.expect(line);
  }

  /** A shell that runs nothing is at its prompt, or its markers report the prompt in a moment. */
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

  /** Call before the shell can have acted on the input. */
  handleInput(bytes: Uint8Array, atMs: number): readonly CommandFact[] {
    const { submitted } = this.#line.feed(bytes);
    if (submitted === 0 || !this.#beginsByInput) return [];
    if (this.#phase === "continuation" && this.#command) this.#phase = "running";
    if (this.#phase !== "prompt") return [];
    const sent = this.#line.takeSent();
    return sent === undefined ? [] : [this.#begin(sent, atMs)];
  }

  /** Input that must not be kept: a secret must never become a command line. */
  handleHiddenInput(): void {
    this.#line.noteHidden();
  }

  /** Markers arrive at their position in the output. */
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

  /** A directory in a form that any program could print. */
  handleUnverifiedCwd(path: string): readonly CommandFact[] {
    return this.#source === "shell" ? [] : this.#cwd.change(path, "marker");
  }

  /** Signals of process watching, for a shell without markers. */
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

  /** Ends a command whose end nobody saw. */
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

  /** Without start markers the submitted line starts the command. */
  get #beginsByInput(): boolean {
    return this.#quality === "estimated";
  }

  #handleIdle(lineEditor: boolean, forMs: number): readonly CommandFact[] {
    if (this.#phase === "prompt" || this.#phase === "continuation") return [];
    const hasMarkers = this.#hasMarkers;
    // Where a prompt marker is expected, a question of a start-up file or of a builtin is not a prompt.
    const expectsMarkers = this.#source === "none" && this.#options.quality !== "none";
    if (!lineEditor && (hasMarkers || expectsMarkers)) return [];
    if (hasMarkers && this.#command && forMs < LOST_MARKERS_MS) return [];
    if (expectsMarkers && forMs < NO_MARKERS_MS) return [];
    if (!hasMarkers || this.#command) this.#source = "watch";
    this.#startPrompt();
    // The time is unknown: the shell was found idle.
    return this.#end({ endedBy: this.#sawJob ? "foreground" : "prompt" });
  }

  #startPrompt(): void {
    this.#phase = "prompt";
    this.#line.startPrompt();
  }

  #continue(): void {
    // A command that began with its first line continues; otherwise a running command shows no continuation prompt.
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
  // Never cut a surrogate pair.
  const isSplit = cut.length < line.length && /[\uD800-\uDBFF]$/.test(cut);
  return (isSplit ? cut.slice(0, -1) : cut).toWellFormed();
}
