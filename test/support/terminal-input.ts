import type { TerminalInput } from "@nacre/contracts";

/** Who asks in tests. */
export const OWNER = { entityName: "Task", entityId: "7" };

/** What to create a terminal from that runs this command line with sh. */
export const shLine = (line: string): TerminalInput => ({
  owner: OWNER,
  workingDirectory: "/tmp",
  command: "/bin/sh",
  args: ["-c", line],
});

/** A shell of this name without a home, so that nobody's own settings matter and none are changed. */
export const shellNamed = (shell: string, env: Record<string, string> = {}): TerminalInput => ({
  owner: OWNER,
  workingDirectory: "/tmp",
  shell,
  env: { HOME: "/nonexistent", ...env },
});
