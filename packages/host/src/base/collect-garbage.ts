// A thread or process that has become quiet keeps what it once used, unless it is told otherwise.
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

let steps: Promise<readonly (() => void)[]> | undefined;

/** Gives memory that is not used any more back to the system; takes some tens of milliseconds. */
export async function collectGarbage(): Promise<void> {
  steps ??= findTrimmer().then((trim) => [findCollector(), trim]);
  for (const step of await steps) step();
}

function findCollector(): () => void {
  const found: unknown = globalThis.gc ?? exposeGc();
  // Only this flavour gives pages back.
  const how = { type: "major", execution: "sync", flavor: "last-resort" };
  return typeof found === "function" ? () => void found(how) : () => undefined;
}

/** The function that `--expose-gc` adds to contexts that are made afterwards. */
function exposeGc(): unknown {
  setFlagsFromString("--expose-gc");
  return runInNewContext("gc");
}

/** `malloc_trim`: the C library keeps small allocations for itself when they are freed. */
async function findTrimmer(): Promise<() => void> {
  if (process.platform !== "linux") return () => undefined;
  try {
    // Only loaded where it is needed: nothing shall depend on it.
    const { default: koffi } = await import("koffi");
    const trim: (keepBytes: number) => unknown = koffi
      .load("libc.so.6")
      .func("int malloc_trim(size_t pad)");
    return () => void trim(0);
  } catch {
    // Another C library, which may do better by itself.
    return () => undefined;
  }
}
