import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

/** What this asks of a running test. */
interface SkippableTest {
  skip(reason: string): never;
}

/** Goes on only where the program is; otherwise the test is skipped with its reason, or fails where CI=true. */
export function requireProgram(test: SkippableTest, program: string): void {
  if (hasProgram(program)) return;
  const reason = `${program} is not installed; \`npm run setup:test\` installs it`;
  if (process.env["CI"] === "true") throw new Error(`${reason}, and CI=true allows no skipping`);
  test.skip(reason);
}

/** Whether the program is on the PATH. */
export function hasProgram(program: string): boolean {
  const directories = (process.env["PATH"] ?? "").split(delimiter);
  return directories.some((directory) => isExecutable(join(directory, program)));
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false; // Not in this directory; the next one may have it.
  }
}
