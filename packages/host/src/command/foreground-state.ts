import type { TtyReadState } from "./blocked-read.ts";
import { type ForegroundFacts, type LeaderFacts, readForeground } from "./process-probe.ts";
import { looksLikeSecretPrompt, showsSecretField } from "./secret-prompt.ts";

/** `key`: a single key, as menus, pagers and editors read. */
export type AwaitedInputKind = "secret" | "line" | "key";

/** Termios settings and the text before the cursor. */
export interface TtyModes {
  /** ECHO. */
  readonly echo?: boolean | undefined;
  /** ICANON. */
  readonly canonical?: boolean | undefined;
  /** The cursor's line up to the cursor; absent: prompts are not recognised by their words. */
  readonly lastLine?: string | undefined;
  /** Bracketed paste (DECSET 2004). */
  readonly bracketedPaste?: boolean | undefined;
  readonly alternateScreen?: boolean | undefined;
  /** The shell runs a line that only reads hidden input. */
  readonly readsSilently?: boolean | undefined;
}

export interface ForegroundQuery extends TtyModes {
  readonly leaderPid: number;
  readonly foregroundProcessGroup?: number | undefined;
}

export interface ForegroundState {
  /** Absent: not waiting, or unknown. */
  readonly kind?: AwaitedInputKind;
  /** The program edits the line itself, as shells and REPLs do. */
  readonly lineEditor?: true;
  /** A program other than the leader is in the foreground. */
  readonly jobRuns: boolean;
  /** The leader is a shell in the foreground that waits for input. */
  readonly shellIdle?: { readonly lineEditor: boolean };
  readonly leader?: LeaderFacts;
  /** What has the terminal instead of the leader, where an answer might be run as a command. */
  readonly foreground?: ForegroundFacts["foreground"];
}

/** One look; reports only what the system reveals. */
export async function readForegroundState(input: ForegroundQuery): Promise<ForegroundState> {
  const { leaderPid, foregroundProcessGroup } = input;
  const facts =
    foregroundProcessGroup === undefined
      ? undefined
      : await readForeground({ leaderPid, foregroundProcessGroup });
  const kind = decideAwaitedInput(facts?.reading ?? "unknown", input);
  const isShell = facts !== undefined && facts.leader.isShell;
  // A shell that asks for a secret runs a script: a prompt never hides what is typed.
  const isIdle = isShell && kind !== "secret" && isWaiting(facts.leaderReading, input);
  return {
    ...(kind !== undefined && { kind }),
    ...(kind === "line" && isLineEditor(input) && { lineEditor: true as const }),
    jobRuns: foregroundProcessGroup !== undefined && foregroundProcessGroup !== leaderPid,
    ...(isIdle && { shellIdle: { lineEditor: isLineEditor(input) } }),
    ...(facts && { leader: facts.leader, foreground: facts.foreground }),
  };
}

/** Decides from process state and termios; undefined when nothing is awaited or it is unknown. */
export function decideAwaitedInput(
  reading: TtyReadState,
  modes: TtyModes,
): AwaitedInputKind | undefined {
  const { echo, canonical, lastLine = "", readsSilently = false } = modes;
  if (canonical === undefined) return undefined;
  if (reading === "no") return asksFromAfar(modes) ? "secret" : undefined;
  if (canonical) {
    // A program that disables ECHO is about to read; this holds for unreadable processes of other users, too.
    if (echo === false) return "secret";
    return reading === "reads" ? "line" : undefined;
  }
  if (looksLikeSecretPrompt(lastLine)) return "secret";
  if (reading === "unknown") return undefined;
  if (readsSilently) return "secret";
  return editsLine(modes) ? "line" : "key";
}

/** Ends of prompts of shells, REPLs and debuggers: `>>> `, `sqlite> `, `user@host:~$ `, `(gdb) `, `In [1]: `. */
const LINE_PROMPT = /(?:[>$#%\u276f\u00bb]|^\([\w-]{1,20}\)|^In \[\d+\]:) $/u;

/**
 * Whether a program in raw mode edits a line. readline, zle, fish and prompt_toolkit enable bracketed paste exactly
 * while they do; full-screen programs that enable it use the alternate screen. Others, such as the Node REPL, are
 * recognised by their prompts.
 */
function editsLine(modes: TtyModes): boolean {
  if (!isLineEditor(modes) || modes.alternateScreen === true) return false;
  return modes.bracketedPaste === true || LINE_PROMPT.test(modes.lastLine ?? "");
}

/** `su -c` and agents with dialogs have a background process read the secret. */
function asksFromAfar({ echo, canonical, lastLine = "" }: TtyModes): boolean {
  return canonical === true
    ? echo === false && looksLikeSecretPrompt(lastLine)
    : showsSecretField(lastLine);
}

/** Polling may be for anything, but without ICANON it is for keys. */
const isWaiting = (reading: TtyReadState, { canonical }: TtyModes): boolean =>
  reading === "reads" || (reading === "polls" && canonical === false);

/** Line editors disable ECHO; builtins that read one key leave it on. */
const isLineEditor = ({ echo, canonical }: TtyModes): boolean =>
  canonical === false && echo === false;
