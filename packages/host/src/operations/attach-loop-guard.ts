import { NacreError, type TerminalId } from "@nacre/contracts";

/**
 * Knows which terminals are shown inside others, so that none shows itself: its output would be written again and
 * again.
 */
export class AttachLoopGuard {
  /** Counts by outer terminal. */
  readonly #shown = new Map<TerminalId, Map<TerminalId, number>>();

  /** Until disposed; refuses a cycle at any depth. */
  enter(inside: TerminalId, id: TerminalId): Disposable {
    if (this.#shows(id, inside)) throw loop(inside, id);
    const shown = this.#shown.get(inside) ?? new Map<TerminalId, number>();
    this.#shown.set(inside, shown);
    shown.set(id, (shown.get(id) ?? 0) + 1);
    let isOver = false;
    return {
      [Symbol.dispose]: () => {
        if (!isOver) this.#leave(inside, id);
        isOver = true;
      },
    };
  }

  /** At any depth. */
  #shows(outer: TerminalId, wanted: TerminalId): boolean {
    const seen = new Set<TerminalId>([outer]);
    for (const id of seen) {
      if (id === wanted) return true;
      for (const inner of this.#shown.get(id)?.keys() ?? []) seen.add(inner);
    }
    return false;
  }

  #leave(inside: TerminalId, id: TerminalId): void {
    const shown = this.#shown.get(inside);
    const count = (shown?.get(id) ?? 0) - 1;
    if (count > 0) shown?.set(id, count);
    else shown?.delete(id);
    if (shown?.size === 0) this.#shown.delete(inside);
  }
}

function loop(inside: TerminalId, id: TerminalId): NacreError {
  const message =
    inside === id
      ? `${id} cannot be shown inside itself`
      : `${id} cannot be shown inside ${inside}, which it shows`;
  return new NacreError("conflict", message, {
    field: "inside",
    suggestion: "Attach from a terminal of your own, or to another one.",
  });
}
