import type { QuickCall } from "@nacre/client/quick";
import type { TerminalId } from "@nacre/contracts";
import { OWN_FAILURE } from "./ending-codes.ts";

/** What a user ends a program with. */
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"] as const;

/** A daemon that has not passed a signal on by then hangs; whoever wants to leave is not kept any longer. */
const MAX_ANSWER_MS = 5000;

/** Passes on to a program what was meant to end it: a signal to this process, and after the first one an end for certain; or that nobody reads any more. */
export function endWithUser(call: QuickCall, id: TerminalId, stopped?: AbortSignal): Disposable {
  // A program that has ended meanwhile needs nothing.
  const kill = (): void => void call("killTerminal", { id }).catch(() => undefined);
  const stack = new DisposableStack();
  if (stopped) {
    stopped.addEventListener("abort", kill);
    stack.defer(() => stopped.removeEventListener("abort", kill));
    return stack;
  }
  let isTold = false;
  for (const signal of SIGNALS) {
    const pass = (): void => {
      if (isTold) return kill();
      isTold = true;
      const leaving = setTimeout(leave, MAX_ANSWER_MS);
      call("signalTerminal", { id, signal, target: "tree" })
        .catch(() => undefined)
        .finally(() => clearTimeout(leaving));
    };
    process.on(signal, pass);
    stack.defer(() => process.off(signal, pass));
  }
  return stack;
}

function leave(): never {
  console.error(
    "nacre: the daemon does not answer\n  → The program may still run; see `nacre status`.",
  );
  process.exit(OWN_FAILURE);
}
