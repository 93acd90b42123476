import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

interface SkippableTest {
  skip(reason: string): never;
}

/** Skips the test with its reason where the program is missing; fails where CI=true. */
export function requireProgram(test: SkippableTest, program: string): void {
  if (hasProgram(program)) return;
  const reason = `${program} is not installed; \`npm run setup:test\` installs it`;
  if (process.env["CI"] === "true") throw new Error(`${reason}, and CI=true allows no skipping`);
  test.skip(reason);
}

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
