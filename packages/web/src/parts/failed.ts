/** How something ended, as far as it is known. */
interface Ending {
  readonly exitCode?: number | undefined;
  readonly signal?: string | undefined;
}

/** What a shell makes of Ctrl-C; a person who presses it knows. */
const INTERRUPTED = 130;

/** Whether something went wrong by itself; what a person interrupted did not. */
export function hasFailed({ exitCode = 0, signal }: Ending): boolean {
  if (signal !== undefined) return signal !== "SIGINT";
  return exitCode !== 0 && exitCode !== INTERRUPTED;
}
