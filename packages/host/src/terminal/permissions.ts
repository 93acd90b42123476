import type { Caller } from "@nacre/contracts";
import type { ClaimHolder } from "../claim/claim-holder.ts";
import {
  isAllowed,
  mayResize,
  type PolicyQuestion,
  requireAllowed,
  requireEpoch,
  type TerminalAction,
} from "../claim/input-policy.ts";
import type { Lifecycle } from "./lifecycle.ts";
import type { TerminalOptions } from "./terminal-options.ts";
import type { TypeOptions } from "./type-options.ts";

/** What permissions depend on. */
interface PermissionsDeps {
  readonly claims: ClaimHolder;
  readonly lifecycle: Lifecycle;
}

/** Who may do what with one Terminal now, by its claim, its policy and its life. */
export class Permissions {
  readonly #deps: PermissionsDeps;
  readonly #policy: PolicyQuestion["policy"];

  constructor(parts: PermissionsDeps, { inputPolicy = "open" }: TerminalOptions) {
    this.#deps = parts;
    this.#policy = inputPolicy;
  }

  /** Refuses what the caller may not do, and what nobody can do with a program that ended. */
  require(action: TerminalAction, by: Caller): void {
    requireAllowed(action, this.#question(by));
    this.#deps.lifecycle.requireRunning(action);
  }

  /** Refuses what may not be typed; a person may answer whoever may type, also where only the holder may. */
  requireTyping({ by, askedBy, epoch }: Pick<TypeOptions, "by" | "askedBy" | "epoch">): void {
    const isAnswer =
      askedBy !== undefined &&
      by.scope === "operator" &&
      isAllowed("input", this.#question(askedBy));
    this.require("input", isAnswer ? askedBy : by);
    this.requireEpoch(epoch);
  }

  requireEpoch(believed: number | undefined): void {
    requireEpoch(this.#deps.claims.state, believed);
  }

  /** Refuses who may not end the terminal and take it off the list, whether or not it runs. */
  requireDisposable(by: Caller): void {
    requireAllowed("dispose", this.#question(by));
  }

  mayDispose(by: Caller): boolean {
    return isAllowed("dispose", this.#question(by));
  }

  mayResize(by: Caller): boolean {
    return mayResize(this.#question(by));
  }

  #question(by: Caller): PolicyQuestion {
    const { state, first } = this.#deps.claims;
    return { by, claim: state.claim, first, policy: this.#policy };
  }
}
