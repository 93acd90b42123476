// The one rule that decides whether typed input is a secret. Pure: the caller brings the facts.
import type { CommandPhase } from "./command-state.ts";
import type { ForegroundState } from "./foreground-state.ts";
import { looksLikeSecretPrompt } from "./secret-prompt.ts";

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
  /** The shell runs a line that only reads hidden input, such as `read -s` of fish. */
  readonly readsSilently: boolean;
}

/**
 * `asked`: a program asks for a secret. `shown`: typed input would be displayed. `unsaid`: unknown; the caller has to
 * declare it a secret.
 */
export type SecretMoment = "asked" | "unsaid" | "shown";

export function secretMoment(facts: InputFacts): SecretMoment {
  const { echo, canonical, isSecretOpen, lastLine, readsSilently } = facts;
  if (echo === true || isLineEditor(facts)) return "shown";
  // ICANON without ECHO reads a hidden line; no line editor works like that.
  if (echo === false && canonical === true) return "asked";
  // Masks drawn for each key may have scrolled the prompt out of view.
  const isSilent = readsSilently && facts.shell === "leader";
  const asks = isSilent || isSecretOpen || looksLikeSecretPrompt(lastLine);
  if (canonical === false && asks) return "asked";
  return "unsaid";
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

/** Decides by termios and process state. */
export function decideAnswerReader(
  facts: InputFacts,
  { kind, shellIdle }: ForegroundState,
): AnswerReader {
  const { phase, canonical } = facts;
  if (isAtShellPrompt(facts)) return "shell";
  // Without markers, a `read` builtin looks like the prompt of a shell without line editor, such as dash.
  if (shellIdle && phase !== "running") return "shell";
  // Where the platform reveals nothing, the markers have to do.
  if (canonical === undefined) return phase === "running" ? "program" : "nobody";
  return kind === undefined ? "nobody" : "program";
}
