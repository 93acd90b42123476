// A program that cleans up when it is asked to end, and says so in a file.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";

/** Where a program stands in its terminal. */
export const ROLES = ["leader", "foreground", "background"] as const;
export type Role = (typeof ROLES)[number];

/** What the program said. */
export interface CleanUp {
  readonly said: () => string;
}

/** A terminal that was started, and how to type into it. */
interface StartedShell {
  readonly id: string;
  type(text: string): Promise<unknown>;
}

/** Cleaning up takes a moment, as it does in programs that are worth it. */
const PROGRAM = `trap 'sleep 0.2; echo cleaned >>"$1"; exit 0' TERM HUP
echo up >>"$1"
while :; do sleep 0.05; done
`;

const DEADLINE_MS = 20_000;

let count = 0;

/** Starts the program in a terminal of its own, in this role, and resolves once it runs. */
export async function startCleaner<Started extends StartedShell>(
  directory: string,
  role: Role,
  start: (input: object) => Promise<Started>,
): Promise<{ readonly cleaner: CleanUp; readonly started: Started }> {
  const program = join(directory, "cleaner.sh");
  const log = join(directory, `cleaner-${count++}`);
  writeFileSync(program, PROGRAM);
  const said = (): string =>
    existsSync(log) ? readFileSync(log, "utf8").trim().replaceAll("\n", " ") : "";
  const started = await start(
    role === "leader"
      ? { command: "/bin/sh", args: [program, log] }
      : { shell: "bash", env: { HOME: directory } },
  );
  if (role !== "leader") {
    await started.type(`sh ${program} ${log}${role === "background" ? " &" : ""}\r`);
  }
  await expect.poll(said, { timeout: DEADLINE_MS }).toBe("up");
  return { cleaner: { said }, started };
}
