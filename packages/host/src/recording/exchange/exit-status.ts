import { constants } from "node:os";

/** What shells add to the number of a signal to make an exit status of it. */
const SIGNAL_STATUS = 128;

const signalNumbers = new Map<string, number>(Object.entries(constants.signals));

/** How a program ended, as far as known. */
interface ExitFacts {
  readonly exitCode: number | null;
  readonly signal?: string | undefined;
}

/** The end of a program as one number, as shells count; nothing when nobody saw it end. */
export function toExitStatus({ exitCode, signal }: ExitFacts): number | undefined {
  if (exitCode !== null) return exitCode;
  const number = signal === undefined ? undefined : signalNumbers.get(signal);
  return number === undefined ? undefined : SIGNAL_STATUS + number;
}
