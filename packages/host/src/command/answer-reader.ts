import type { ForegroundState } from "./prompt.ts";
import { type InputFacts, isLineEditor } from "./secret-moment.ts";

/** Who would get an answer that is typed now: a program that waits for it, a shell that would run it, or nobody yet. */
export type AnswerReader = "program" | "shell" | "nobody";

/** Whether a shell waits for a command line, by its markers or by how it reads; also one without markers that only may be at its prompt. */
export function isAtShellPrompt(facts: InputFacts): boolean {
  const { phase } = facts;
  return phase === "prompt" || phase === "continuation" || isLineEditor(facts);
}

/** Decides who reads, by what the terminal is set to and what its programs do. */
export function decideAnswerReader(
  facts: InputFacts,
  { kind, shellIdle }: ForegroundState,
): AnswerReader {
  const { phase, canonical } = facts;
  if (isAtShellPrompt(facts)) return "shell";
  // Without its markers, `read` of a shell looks like the prompt of a shell that edits no lines, as dash.
  if (shellIdle && phase !== "running") return "shell";
  // Where the platform tells nothing, the markers of the shell have to do.
  if (canonical === undefined) return phase === "running" ? "program" : "nobody";
  return kind === undefined ? "nobody" : "program";
}
