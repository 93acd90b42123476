import type { Caller, TerminalId } from "@nacre/contracts";
import { canSeeOwner } from "../auth/auth-context.ts";
import type { Registry } from "../registry/registry.ts";
import { factsOf, type TerminalFacts } from "../registry/terminal-facts.ts";

export type { ContentPart, TerminalContent, TerminalFacts } from "../registry/terminal-facts.ts";

/** A live view for one caller. */
export class TerminalListing implements Disposable {
  readonly #registry: Registry;
  readonly #caller: Caller;
  readonly #listeners = new Set<Disposable>();

  constructor(registry: Registry, caller: Caller) {
    this.#registry = registry;
    this.#caller = caller;
  }

  /** In order of creation. */
  list(): readonly TerminalFacts[] {
    const terminals = this.#registry.list();
    return terminals.filter(({ row }) => canSeeOwner(this.#caller, row.owner)).map(factsOf);
  }

  find(id: TerminalId): TerminalFacts | undefined {
    const terminal = this.#registry.find(id);
    return terminal && canSeeOwner(this.#caller, terminal.row.owner)
      ? factsOf(terminal)
      : undefined;
  }

  /** Called often, so listeners must be cheap. */
  onChange(listener: () => void): Disposable {
    const listening = this.#registry.onChange(listener);
    this.#listeners.add(listening);
    return {
      [Symbol.dispose]: () => {
        listening[Symbol.dispose]();
        this.#listeners.delete(listening);
      },
    };
  }

  [Symbol.dispose](): void {
    for (const listening of this.#listeners) listening[Symbol.dispose]();
    this.#listeners.clear();
  }
}
