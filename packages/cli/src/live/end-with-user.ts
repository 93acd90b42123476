import type { QuickCall } from "@nacre/client/quick";
import type { TerminalId } from "@nacre/contracts";

/** What a user ends a program with. */
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"] as const;

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
      call("signalTerminal", { id, signal, target: "tree" }).catch(() => undefined);
    };
    process.on(signal, pass);
    stack.defer(() => process.off(signal, pass));
  }
  return stack;
}
