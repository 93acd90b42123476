import type { OperationName, OperationOutput, TerminalId } from "@nacre/contracts";
import type { Operations } from "../../operations/dispatch.ts";
import type { ControlSessions } from "./session-book.ts";

/** What control files need of the operations. */
export type ControlOperations = Pick<Operations, "call"> & Partial<Pick<Operations, "follow">>;

/** What one request works with. */
export interface OperationContext {
  readonly sessions: ControlSessions;
  /** The terminal that a command by itself is to have; made up when absent. */
  readonly terminalId?: TerminalId | undefined;
  /** Directory that relative working directories begin in. */
  readonly baseDirectory: string;
  /** Asks for an operation as the agent of the directory. */
  readonly call: <Name extends OperationName>(
    name: Name,
    input: unknown,
  ) => Promise<OperationOutput<Name>>;
  /** A session began; its end is to be noticed. */
  readonly handleSession: (terminalId: string) => void;
  /** Writes down what is known of the sessions, so that it outlives the service. */
  readonly saveSessions: () => Promise<void>;
}

/** What an operation came to. */
export interface OperationOutcome {
  readonly sessionId: string | null;
  readonly result: Readonly<Record<string, unknown>>;
}
