// Idle threads and processes keep memory unless told otherwise.
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

let steps: Promise<readonly (() => void)[]> | undefined;

/** Returns unused memory to the system; takes some tens of milliseconds. */
export async function collectGarbage(): Promise<void> {
  steps ??= findTrimmer().then((trim) => [findCollector(), trim]);
  for (const step of await steps) step();
}

function findCollector(): () => void {
  const found: unknown = globalThis.gc ?? exposeGc();
  // Only `last-resort` releases pages.
  const how = { type: "major", execution: "sync", flavor: "last-resort" };
  return typeof found === "function" ? () => void found(how) : () => undefined;
}

/** `--expose-gc` affects contexts created afterwards. */
function exposeGc(): unknown {
  setFlagsFromString("--expose-gc");
  return runInNewContext("gc");
}

/** `malloc_trim`: glibc keeps freed small allocations. */
async function findTrimmer(): Promise<() => void> {
  if (process.platform !== "linux") return () => undefined;
  try {
    // Loaded only where needed: nothing must depend on it.
    const { default: koffi } = await import("koffi");
    const trim: (keepBytes: number) => unknown = koffi
      .load("libc.so.6")
      .func("int malloc_trim(size_t pad)");
    return () => void trim(0);
  } catch {
    // Another C library.
    return () => undefined;
  }
}
