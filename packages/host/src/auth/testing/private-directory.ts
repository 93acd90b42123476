import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A directory that is ours alone, until it is disposed. */
export function makePrivateDirectory(): Disposable & { readonly path: string } {
  const path = mkdtempSync(join(tmpdir(), "nacre-auth-"));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}
