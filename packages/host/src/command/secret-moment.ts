// The one rule that decides whether typed input is a secret. Pure: the caller brings the facts.
import type { CommandPhase } from "./command-state.ts";
import type { ForegroundState } from "./foreground-state.ts";
import { looksLikeSecretPrompt } from "./secret-prompt.ts";
import type { SilentRead } from "./silent-read.ts";

/** Facts about a terminal right before something is typed. */
export interface InputFacts {
  /** ECHO; undefined where the platform cannot tell. */
  readonly echo: boolean | undefined;
  /** ICANON. */
  readonly canonical: boolean | undefined;
  /** By the shell's markers. */
  readonly phase: CommandPhase;
  /** DECSET 2004, as line editors set. */
  readonly bracketedPaste: boolean;
  /** Which interactive shell is in the foreground: the launched one, another, or none. */
  readonly shell: "leader" | "nested" | undefined;
  /** The cursor's line up to the cursor. */
  readonly lastLine: string;
  /** A secret was started and not yet submitted. */
  readonly isSecretOpen: boolean;
  /** The shell runs a line in which it hides what it reads, as `read -s` of fish. */
  readonly silentRead: SilentRead | undefined;
}

/**
 * Whether a program asks for a secret (`asked`), may do so and what is typed is not recorded (`possible`), what is typed
 * would be shown (`shown`), or nobody can tell and whoever types has to say that it is one (`unsaid`).
 */
export type SecretMoment = "asked" | "possible" | "unsaid" | "shown";

export function secretMoment(facts: InputFacts): SecretMoment {
  const { echo, canonical, isSecretOpen, lastLine } = facts;
  if (echo === true || isLineEditor(facts)) return "shown";
  // ICANON without ECHO reads a hidden line; no line editor works like that.
  if (echo === false && canonical === true) return "asked";
  // What a program draws for each key may have pushed its words out of sight.
  const silentRead = facts.shell === "leader" ? facts.silentRead : undefined;
  const asks = silentRead === "certain" || isSecretOpen || looksLikeSecretPrompt(lastLine);
  if (canonical === false && asks) return "asked";
  return silentRead === "possible" ? "possible" : "unsaid";
}

/** Whether a shell edits its command line: readline, zle and fish disable ECHO and draw typed text themselves. */
function isLineEditor({ canonical, phase, bracketedPaste, shell }: InputFacts): boolean {
  if (canonical === true) return false;
  if (phase === "prompt" || phase === "continuation") return true;
  // A `read` builtin edits a line, too, but not one that is executed.
  const isBuiltin = phase === "running" && shell === "leader";
  return bracketedPaste && shell !== undefined && !isBuiltin;
}

/** Who would receive an answer typed now: a waiting program, a shell that would execute it, or nobody yet. */
export type AnswerReader = "program" | "shell" | "nobody";

/**
 * Whether a shell waits for a command line, by its markers or its read; includes one without markers that may be at its
 * prompt.
 */
export function isAtShellPrompt(facts: InputFacts): boolean {
  const { phase } = facts;
  return phase === "prompt" || phase === "continuation" || isLineEditor(facts);
}

/** How prompts of shells end, drawn by a program that hands keys on to one (`script`, `ssh`, `sudo -i`); `postgres=# ` is none. */
const SHELL_PROMPT = /(?:[$\u276f\u279c]|(?<![=(^*!'"-])[#%]) $/u;

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
  // Where the platform reveals nothing, the markers have to do.
  if (canonical === undefined) return phase === "running" ? "program" : "nobody";
  return kind === undefined ? "nobody" : "program";
}
