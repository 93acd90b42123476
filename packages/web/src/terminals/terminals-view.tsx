import { useEffect, useState } from "preact/hooks";
import { isTyping } from "../app/global-keys.ts";
import type { ViewProps } from "../app/view.ts";
import { Button } from "../parts/button.tsx";
import { EmptyState } from "../parts/empty-state.tsx";
import { CreateDialog } from "./create-dialog.tsx";
import { filter, Filters, isWanted } from "./filters.tsx";
import { Inbox } from "./inbox.tsx";
import { unseenNeeds } from "./unseen-needs.ts";
import { TerminalRow } from "./terminal-row.tsx";

/** Every terminal, and what of them waits for a person. */
export function TerminalsView({ live }: ViewProps) {
  const [isCreating, setCreating] = useState(false);
  const isReader = live.isReader.value;
  useListKeys(() => {
    if (!live.isReader.peek()) setCreating(true);
  });
  const terminals = live.terminals.value;
  const shown = terminals?.filter(isWanted).toReversed() ?? [];
  const running = terminals?.filter(({ state }) => state === "active").length ?? 0;
  const create = !isReader && (
    <Button look="primary" symbol="plus" onClick={() => setCreating(true)}>
      New terminal
    </Button>
  );
  return (
    <div class="view">
      <div class="view-head">
        <div class="view-title">
          <h1>Terminals</h1>
          {terminals !== undefined && (
            <span class="quiet" role="status">
              {running} running, {terminals.length} in all
            </span>
          )}
        </div>
        <span class="view-head-end">{create}</span>
      </div>
      <Inbox live={live} needs={(terminals ?? []).flatMap(unseenNeeds)} />
      {terminals !== undefined && terminals.length > 0 && <Filters terminals={terminals} />}
      {terminals?.length === 0 && (
        <EmptyState title="No terminals" action={create}>
          Create one here, with <code>nacre new</code>, or let an agent do it. Whoever does, it
          appears here by itself.
        </EmptyState>
      )}
      {terminals !== undefined && terminals.length > 0 && shown.length === 0 && (
        <EmptyState title="Nothing fits" action={<Button onClick={clearFilters}>Show all</Button>}>
          No terminal is like what you filter by.
        </EmptyState>
      )}
      {shown.length > 0 && (
        <table class="terminals">
          <thead>
            <tr>
              <th scope="col">Title</th>
              <th scope="col">State</th>
              <th scope="col">Running</th>
              <th scope="col">Driven by</th>
              <th scope="col">Owner</th>
              <th scope="col">Age</th>
              <th scope="col">
                <span class="visually-hidden">More</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {shown.map((terminal) => (
              <TerminalRow key={terminal.id} live={live} terminal={terminal} />
            ))}
          </tbody>
        </table>
      )}
      <CreateDialog live={live} isOpen={isCreating} close={() => setCreating(false)} />
    </div>
  );
}

function clearFilters(): void {
  filter.text.value = "";
  filter.state.value = "all";
  filter.owner.value = "";
}

/** Lets `j` and `k` go through the list, and `n` create. */
function useListKeys(create: () => void): void {
  useEffect(() => {
    const handleKey = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event)) return;
      if (event.key === "n") create();
      else if (event.key === "j") focusRow(1);
      else if (event.key === "k") focusRow(-1);
      else return;
      event.preventDefault();
    };
    addEventListener("keydown", handleKey);
    return () => removeEventListener("keydown", handleKey);
  }, []);
}

function focusRow(step: number): void {
  const rows = [...document.querySelectorAll<HTMLElement>(".row-link")];
  const at = rows.findIndex((row) => row === document.activeElement);
  const next = at < 0 ? (step > 0 ? 0 : rows.length - 1) : at + step;
  rows[Math.min(rows.length - 1, Math.max(0, next))]?.focus();
}
