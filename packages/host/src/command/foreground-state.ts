import type { TtyReadState } from "./blocked-read.ts";
import { type ForegroundFacts, type LeaderFacts, readForeground } from "./process-probe.ts";
import { looksLikeSecretPrompt, showsSecretField } from "./secret-prompt.ts";

/** What a program waits for: a secret, a line, or a single key as menus, pagers and editors do. */
export type AwaitedInputKind = "secret" | "line" | "key";

/** What the line discipline of a terminal says, and what stands before the cursor. */
export interface TtyModes {
  /** Typed characters are shown. */
  readonly echo?: boolean | undefined;
  /** Input is handed over by lines. */
  readonly canonical?: boolean | undefined;
  /** The text of the line the cursor is in, up to it; without it no prompt is recognised by its words. */
  readonly lastLine?: string | undefined;
  /** The program wants pasted text to be marked as such (DECSET 2004). */
  readonly bracketedPaste?: boolean | undefined;
  readonly alternateScreen?: boolean | undefined;
  /** The shell runs a line that reads nothing but what it hides. */
  readonly readsSilently?: boolean | undefined;
}

/** A terminal to look at. */
export interface ForegroundQuery extends TtyModes {
  readonly leaderPid: number;
  readonly foregroundProcessGroup?: number | undefined;
}

/** What a terminal waits for, as far as it can be known. */
export interface ForegroundState {
  /** What the program that has the terminal waits for; absent when it does not wait, or nobody can tell. */
  readonly kind?: AwaitedInputKind;
  /** The program edits that line itself, as shells and REPLs do. */
  readonly lineEditor?: true;
  /** Another program than the leader has the terminal. */
  readonly jobRuns: boolean;
  /** Present when the leader is a shell that has the terminal and waits for input; a prompt of a line editor, or a line. */
  readonly shellIdle?: { readonly lineEditor: boolean };
  readonly leader?: LeaderFacts;
  /** What has the terminal instead of the leader, where an answer might be run as a command. */
  readonly foreground?: ForegroundFacts["foreground"];
}

/** Looks at a terminal once. It says nothing where the system does not let it know. */
export async function readForegroundState(input: ForegroundQuery): Promise<ForegroundState> {
  const { leaderPid, foregroundProcessGroup } = input;
  const facts =
    foregroundProcessGroup === undefined
      ? undefined
      : await readForeground({ leaderPid, foregroundProcessGroup });
  const kind = decideAwaitedInput(facts?.reading ?? "unknown", input);
  const isShell = facts !== undefined && facts.leader.isShell;
  // A shell that asks for a secret runs a script: its prompt never hides what is typed.
  const isIdle = isShell && kind !== "secret" && isWaiting(facts.leaderReading, input);
  return {
    ...(kind !== undefined && { kind }),
    ...(kind === "line" && isLineEditor(input) && { lineEditor: true as const }),
    jobRuns: foregroundProcessGroup !== undefined && foregroundProcessGroup !== leaderPid,
    ...(isIdle && { shellIdle: { lineEditor: isLineEditor(input) } }),
    ...(facts && { leader: facts.leader, foreground: facts.foreground }),
  };
}

/** What is waited for, by what the programs do and how the terminal is set; undefined when nothing is, or nobody knows. */
export function decideAwaitedInput(
  reading: TtyReadState,
  modes: TtyModes,
): AwaitedInputKind | undefined {
  const { echo, canonical, lastLine = "", readsSilently = false } = modes;
  if (canonical === undefined) return undefined;
  if (reading === "no") return asksFromAfar(modes) ? "secret" : undefined;
  if (canonical) {
    // Whoever switches the echo off is about to read, also where it may not be looked at, as programs of other users.
    if (echo === false) return "secret";
    return reading === "reads" ? "line" : undefined;
  }
  if (looksLikeSecretPrompt(lastLine)) return "secret";
  if (reading === "unknown") return undefined;
  if (readsSilently) return "secret";
  return editsLine(modes) ? "line" : "key";
}

/** How shells, REPLs and debuggers end what they show before a line: `>>> `, `sqlite> `, `user@host:~$ `, `(gdb) `, `In [1]: `. */
const LINE_PROMPT = /(?:[>$#%\u276f\u00bb]|^\([\w-]{1,20}\)|^In \[\d+\]:) $/u;

/**
 * Whether a program that gets single keys makes a line of them: readline, zle, fish and prompt_toolkit ask for bracketed
 * paste while they do and only then, and full-screen programs that ask for it have a screen of their own. Those that do
 * not ask, as the REPL of Node, are known by their prompts.
 */
function editsLine(modes: TtyModes): boolean {
  if (!isLineEditor(modes) || modes.alternateScreen === true) return false;
  return modes.bracketedPaste === true || LINE_PROMPT.test(modes.lastLine ?? "");
}

/** Some have the secret read by a program that does not stand in the foreground: `su -c` and agents with their dialogs. */
function asksFromAfar({ echo, canonical, lastLine = "" }: TtyModes): boolean {
  return canonical === true
    ? echo === false && looksLikeSecretPrompt(lastLine)
    : showsSecretField(lastLine);
}

/** Polling may be for anything, except where the terminal is set to give out single keys: that is done to get them. */
const isWaiting = (reading: TtyReadState, { canonical }: TtyModes): boolean =>
  reading === "reads" || (reading === "polls" && canonical === false);

/** Line editors draw what is typed themselves; builtins that ask for one key leave that to the terminal. */
const isLineEditor = ({ echo, canonical }: TtyModes): boolean =>
  canonical === false && echo === false;
