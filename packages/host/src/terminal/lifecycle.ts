import { NacreError, type TerminalId, type TerminalState } from "@nacre/contracts";

/** Which states may follow each state; whatever is over stays over. */
const TRANSITIONS: Readonly<Record<TerminalState, readonly TerminalState[]>> = {
  creating: ["active", "failed"],
  active: ["killing", "exited", "lost"],
  killing: ["exited", "lost"],
  exited: [],
  failed: [],
  lost: [],
};

/** Where one Terminal is in its life; it only ever goes forward. */
export class Lifecycle {
  readonly #terminalId: TerminalId;
  readonly #handleChange: (state: TerminalState) => void;
  #state: TerminalState = "creating";
  #isDetached = false;

  constructor(terminalId: TerminalId, handleChange: (state: TerminalState) => void) {
    this.#terminalId = terminalId;
    this.#handleChange = handleChange;
  }

  get state(): TerminalState {
    return this.#state;
  }

  /** Whether a program is there that can be driven. */
  get isRunning(): boolean {
    return this.#state === "active" || this.#state === "killing";
  }

  /** Another host goes on with the program: nothing can be done here any more. */
  detach(): void {
    this.#isDetached = true;
  }

  /** Goes on to a state that may follow; anything else is a fault of the host. */
  enter(state: TerminalState): void {
    if (!TRANSITIONS[this.#state].includes(state)) {
      throw new Error(`${this.#terminalId} is ${this.#state} and cannot become ${state}`);
    }
    this.#state = state;
    this.#handleChange(state);
  }

  /** Refuses what needs a running program, and says what can be done instead. */
  requireRunning(action: string): void {
    if (this.#isDetached) {
      throw new NacreError("unavailable", `the host is restarting, cannot ${action}`, {
        suggestion: "Try again in a moment: the program goes on.",
      });
    }
    if (this.isRunning) return;
    throw new NacreError(
      "terminal_exited",
      `${this.#terminalId} is ${this.#state}, cannot ${action}`,
      { suggestion: "Read its output or its recording; create a terminal to run something new." },
    );
  }
}
