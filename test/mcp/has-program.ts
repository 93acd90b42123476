import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

/** Whether a program is on the PATH; what needs one that is not there is skipped. */
export function hasProgram(name: string): boolean {
  return (process.env["PATH"] ?? "").split(delimiter).some((directory) => {
    try {
      accessSync(join(directory, name), constants.X_OK);
      return true;
    } catch {
      // Not here; perhaps in the next.
      return false;
    }
  });
}
