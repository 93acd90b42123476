/** What can be asked for by a control file; `invoke` names one of the others. */
export const OPERATION_NAMES = [
  "create",
  "resume",
  "close",
  "write",
  "read",
  "resize",
  "exec",
  "wait",
  "ask",
  "answer",
] as const;

/** Names what is asked for. */
export type ControlOperation = (typeof OPERATION_NAMES)[number];

/** The control files, by what they are called before `.json`. */
export const CONTROL_NAMES = [...OPERATION_NAMES, "invoke"] as const;

/** Names a control file. */
export type ControlName = (typeof CONTROL_NAMES)[number];

/** What each is called in the status, and may be called in `invoke`. */
export const TOOL_NAMES: Readonly<Record<ControlOperation, string>> = {
  create: "terminal_session_create",
  resume: "terminal_session_resume",
  close: "terminal_session_close",
  write: "terminal_session_write",
  read: "terminal_session_read",
  resize: "terminal_session_resize",
  exec: "shell_exec",
  wait: "terminal_session_wait",
  ask: "terminal_session_ask",
  answer: "terminal_session_answer",
};

/** The control file that has this name; whatever is none came by `invoke`. */
export const parseControlName = (text: string): ControlName =>
  CONTROL_NAMES.find((name) => name === text) ?? "invoke";

/** The files in which secrets may be written: once a request is begun nothing of it is left there. */
export const ERASED_NAMES: ReadonlySet<ControlName> = new Set(["write", "answer", "invoke"]);

/** The name of a control file in its directory. */
export const controlFileName = (name: ControlName): string => `${name}.json`;
