import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A temporary directory. */
export interface OwnDirectory extends Disposable {
  readonly path: string;
}

/** Makes a temporary directory; disposing removes it with everything in it. */
export function ownDirectory(): OwnDirectory {
  const path = realpathSync(mkdtempSync(join(tmpdir(), "nacre-test-")));
  return {
    path,
    // A process that is about to end may still write: ENOTEMPTY.
    [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true, maxRetries: 5 }),
  };
}
