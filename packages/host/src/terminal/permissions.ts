import type { Caller } from "@nacre/contracts";
import type { ClaimHolder } from "../claim/claim-holder.ts";
import {
  isAllowed,
  mayResize,
  type PolicyQuestion,
  requireAllowed,
  requireEpoch,
  type TerminalPermission,
} from "../claim/input-policy.ts";
import type { TypeOptions } from "./input-writer.ts";
import type { Lifecycle } from "./lifecycle.ts";

interface PermissionsDeps {
  readonly claims: ClaimHolder;
  readonly lifecycle: Lifecycle;
  readonly policy: PolicyQuestion["policy"];
}

/** Who may do what with one Terminal now, by its claim, its policy and its life. */
export class Permissions {
  readonly #deps: PermissionsDeps;

  constructor(deps: PermissionsDeps) {
    this.#deps = deps;
  }

  /** Refuses what the caller may not do, and what nobody can do with a program that ended. */
  require(action: TerminalPermission, by: Caller): void {
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
    const { claims, policy } = this.#deps;
    return { by, claim: claims.state.claim, first: claims.first, policy };
  }
}
