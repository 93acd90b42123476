import type { TerminalSummary } from "@nacre/contracts";
import { signal } from "@preact/signals";
import { unseenNeeds } from "./unseen-needs.ts";

/** Which states are shown. */
type StateFilter = "all" | "running" | "ended" | "needs";

/** What is looked for in the list; kept while somebody looks at a terminal and comes back. */
export const filter = {
  text: signal(""),
  state: signal<StateFilter>("all"),
  owner: signal(""),
};

const STATES: readonly (readonly [StateFilter, string])[] = [
  ["all", "All"],
  ["running", "Running"],
  ["ended", "Ended"],
  ["needs", "Needs you"],
];

/** Whose a terminal is, in words. */
export const ownerText = ({ owner }: TerminalSummary): string =>
  `${owner.entityName} ${owner.entityId}`;

const isRunning = ({ state }: TerminalSummary): boolean =>
  state === "active" || state === "creating" || state === "killing";

/** Whether a terminal is among what is looked for. */
export function isWanted(terminal: TerminalSummary): boolean {
  const owner = filter.owner.value;
  if (owner !== "" && ownerText(terminal) !== owner) return false;
  if (!isInState(terminal, filter.state.value)) return false;
  const words = filter.text.value.toLowerCase().split(/\s+/).filter(Boolean);
  const { title, name = "", cwd = "", runningCommand, id } = terminal;
  const text = [title, name, cwd, runningCommand?.commandLine ?? "", id, ownerText(terminal)]
    .join("\n")
    .toLowerCase();
  return words.every((word) => text.includes(word));
}

function isInState(terminal: TerminalSummary, state: StateFilter): boolean {
  switch (state) {
    case "all":
      return true;
    case "running":
      return isRunning(terminal);
    case "ended":
      return !isRunning(terminal);
    case "needs":
      return unseenNeeds(terminal).length > 0;
  }
}

/** The fields that narrow the list. */
export function Filters({ terminals }: { readonly terminals: readonly TerminalSummary[] }) {
  const owners = [...new Set(terminals.map(ownerText))].toSorted((one, other) =>
    one.localeCompare(other),
  );
  return (
    <div class="filters">
      <input
        class="input"
        type="search"
        data-filter
        aria-label="Filter terminals"
        placeholder="Filter by title, directory, command…"
        value={filter.text.value}
        onInput={({ currentTarget }) => {
          filter.text.value = currentTarget.value;
        }}
      />
      <div class="segments" role="group" aria-label="State">
        {STATES.map(([state, words]) => (
          <button
            key={state}
            type="button"
            aria-pressed={filter.state.value === state}
            onClick={() => {
              filter.state.value = state;
            }}
          >
            {words}
          </button>
        ))}
      </div>
      {owners.length > 1 && (
        <select
          class="input owner-filter"
          aria-label="Owner"
          value={filter.owner.value}
          onChange={({ currentTarget }) => {
            filter.owner.value = currentTarget.value;
          }}
        >
          <option value="">Every owner</option>
          {owners.map((owner) => (
            <option key={owner} value={owner}>
              {owner}
            </option>
          ))}
        </select>
      )}
    </div>
  );
}
