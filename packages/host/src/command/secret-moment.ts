// The one rule that decides whether what is typed now is a secret. It is pure: whoever asks brings the facts.
import type { CommandPhase } from "./command-state.ts";
import type { ForegroundState } from "./foreground-state.ts";
import { looksLikeSecretPrompt } from "./secret-prompt.ts";
import type { SilentRead } from "./silent-read.ts";

/** What is known of a terminal right before something is typed into it. */
export interface InputFacts {
  /** The kernel echoes what is typed (ECHO); undefined where the platform cannot tell. */
  readonly echo: boolean | undefined;
  /** The kernel hands input over by lines (ICANON). */
  readonly canonical: boolean | undefined;
  /** What the shell does, by its markers. */
  readonly phase: CommandPhase;
  /** The program that has the terminal asked for pastes in brackets, as line editors do. */
  readonly bracketedPaste: boolean;
  /** Which interactive shell has the terminal: the one that was launched, another, or none. */
  readonly shell: "leader" | "nested" | undefined;
  /** The line the cursor is in, up to it. */
  readonly lastLine: string;
  /** Keys of a secret were typed, and not yet the one that ends it. */
  readonly isSecretOpen: boolean;
  /** The shell runs a line in which it hides what it reads, as `read -s` of fish. */
  readonly silentRead: SilentRead | undefined;
}

/**
 * Whether a program asks for a secret (`asked`), may do so and what is typed is not recorded (`possible`), what is typed
 * would be shown (`shown`), or nobody can tell and whoever types has to say that it is one (`unsaid`).
 */
export type SecretMoment = "asked" | "possible" | "unsaid" | "shown";

/** Decides what kind of moment this is for a secret. */
export function secretMoment(facts: InputFacts): SecretMoment {
  const { echo, canonical, isSecretOpen, lastLine } = facts;
  if (echo === true || isLineEditor(facts)) return "shown";
  // Without ECHO but with ICANON somebody reads a line and hides it; no line editor works like that.
  if (echo === false && canonical === true) return "asked";
  // What a program draws for each key may have pushed its words out of sight.
  const silentRead = facts.shell === "leader" ? facts.silentRead : undefined;
  const asks = silentRead === "certain" || isSecretOpen || looksLikeSecretPrompt(lastLine);
  if (canonical === false && asks) return "asked";
  return silentRead === "possible" ? "possible" : "unsaid";
}

/** Whether a shell edits its command line: readline, zle and fish switch ECHO off and show what is typed themselves. */
function isLineEditor({ canonical, phase, bracketedPaste, shell }: InputFacts): boolean {
  if (canonical === true) return false;
  if (phase === "prompt" || phase === "continuation") return true;
  // `read` of a shell that reports its commands edits a line too, but not one that is run.
  const isBuiltin = phase === "running" && shell === "leader";
  return bracketedPaste && shell !== undefined && !isBuiltin;
}

/** Who would get an answer that is typed now: a program that waits for it, a shell that would run it, or nobody yet. */
export type AnswerReader = "program" | "shell" | "nobody";

/** Whether a shell waits for a command line, by its markers or by how it reads; also one without markers that only may be at its prompt. */
export function isAtShellPrompt(facts: InputFacts): boolean {
  const { phase } = facts;
  return phase === "prompt" || phase === "continuation" || isLineEditor(facts);
}

/** How prompts of shells end, drawn by a program that hands keys on to one: `script`, `ssh`, `sudo -i`, a multiplexer. */
const SHELL_PROMPT = /[$#%\u276f\u279c] $/u;

/** Decides who reads, by what the terminal is set to and what its programs do. */
export function decideAnswerReader(
  facts: InputFacts,
  { kind, shellIdle, foreground }: ForegroundState,
): AnswerReader {
  const { phase, canonical, bracketedPaste, lastLine } = facts;
  if (isAtShellPrompt(facts)) return "shell";
  if (kind !== "secret") {
    // One without a line editor, as dash, reads commands as any program reads a line.
    if (foreground === "shell") return "shell";
    const isRelayed = foreground === "relay" && bracketedPaste;
    if (canonical === false && (isRelayed || SHELL_PROMPT.test(lastLine))) return "shell";
  }
  // Without its markers, `read` of a shell looks like the prompt of a shell that edits no lines, as dash.
  if (shellIdle && phase !== "running") return "shell";
  // Where the platform tells nothing, the markers of the shell have to do.
  if (canonical === undefined) return phase === "running" ? "program" : "nobody";
  return kind === undefined ? "nobody" : "program";
}
