import { describeState, isAlive, shortLabel } from "@nacre/client/ui";
import type { TerminalSummary } from "@nacre/contracts";
import { signal } from "@preact/signals";
import { useEffect, useRef, useState } from "preact/hooks";
import { FactBadge } from "../parts/badge.tsx";
import { Button } from "../parts/button.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { EmptyState } from "../parts/empty-state.tsx";
import { isTyping } from "../parts/is-typing.ts";
import { Age, Duration } from "../parts/time.tsx";
import { describeError } from "../parts/toast.tsx";
import { linkToTerminal } from "../state/links.ts";
import type { LiveState } from "../state/live-state.ts";
import { go } from "../state/place.ts";
import { unseenNeeds } from "../state/seen.ts";
import type { ViewProps } from "../state/view.ts";
import { ClaimChip } from "../terminal-controls/answer-box.tsx";
import { TerminalMenu } from "../terminal-controls/terminal-menu.tsx";
import { Inbox } from "./inbox.tsx";

type StateFilter = "all" | "running" | "ended" | "needs";

/** Kept while somebody visits a terminal and comes back. */
const filter = {
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

const ownerText = ({ owner }: TerminalSummary): string => `${owner.entityName} ${owner.entityId}`;

/** Whether a terminal is among what is looked for. */
function isWanted(terminal: TerminalSummary): boolean {
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
      return isAlive(terminal);
    case "ended":
      return !isAlive(terminal);
    case "needs":
      return unseenNeeds(terminal).length > 0;
  }
}

function Filters({ terminals }: { readonly terminals: readonly TerminalSummary[] }) {
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

/** `j` and `k` move, `n` creates. */
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

interface TerminalRowProps {
  readonly live: LiveState;
  readonly terminal: TerminalSummary;
}

function TerminalRow({ live, terminal }: TerminalRowProps) {
  const { id, cwd, claim, createdAt } = terminal;
  const title = shortLabel(terminal.title);
  const isOver = !isAlive(terminal);
  return (
    <tr class="terminal-row" data-over={isOver || undefined}>
      <td class="cell-title">
        <a class="row-link clip" href={linkToTerminal(id)} title={title}>
          {title}
        </a>
        {cwd !== undefined && (
          <code class="quiet clip" title={cwd}>
            {cwd}
          </code>
        )}
      </td>
      <td class="cell-state">
        <FactBadge fact={describeState(terminal)} />
      </td>
      <td class="cell-running">
        <Running terminal={terminal} />
      </td>
      <td class="cell-claim">{!isOver && <ClaimChip claim={claim.claim} live={live} />}</td>
      <td class="cell-owner clip quiet" title={ownerText(terminal)}>
        {ownerText(terminal)}
      </td>
      <td class="cell-age quiet">
        <Age at={createdAt} />
      </td>
      <td class="cell-menu">
        <TerminalMenu live={live} terminal={terminal} />
      </td>
    </tr>
  );
}

function Running({ terminal }: { readonly terminal: TerminalSummary }) {
  const { runningCommand } = terminal;
  if (!runningCommand) return null;
  const { commandLine, startedAt } = runningCommand;
  return (
    <span class="running">
      <code class="clip" title={commandLine}>
        {shortLabel(commandLine)}
      </code>
      <span class="quiet">
        <Duration since={startedAt} />
      </span>
    </span>
  );
}

interface CreateDialogProps {
  readonly live: LiveState;
  readonly isOpen: boolean;
  readonly close: () => void;
}

function CreateDialog({ live, isOpen, close }: CreateDialogProps) {
  return (
    <Dialog isOpen={isOpen} title="New terminal" close={close}>
      <CreateForm live={live} close={close} />
    </Dialog>
  );
}

function CreateForm({ live, close }: Omit<CreateDialogProps, "isOpen">) {
  const form = useRef<HTMLFormElement>(null);
  const first = useRef<HTMLInputElement>(null);
  useEffect(() => first.current?.focus(), []);
  const [problem, setProblem] = useState<string | undefined>(undefined);
  const [isBusy, setBusy] = useState(false);
  const create = async (): Promise<void> => {
    if (!form.current) return;
    const fields = new FormData(form.current);
    const given = (name: string): string => {
      const value = fields.get(name);
      return typeof value === "string" ? value.trim() : "";
    };
    const [commandLine, workingDirectory, name] = [given("line"), given("cwd"), given("title")];
    setBusy(true);
    try {
      const { id } = await live.client.createTerminal({
        ...(commandLine === "" ? {} : { commandLine }),
        ...(workingDirectory === "" ? {} : { workingDirectory }),
        ...(name === "" ? {} : { name }),
      });
      close();
      await live.reread();
      go(`/t/${id.slice("terminal:".length)}`);
    } catch (error) {
      setProblem(describeError(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <form
      ref={form}
      class="form"
      onSubmit={(event) => {
        event.preventDefault();
        void create();
      }}
    >
      <label class="field">
        <span>Command (your shell when empty)</span>
        <input
          ref={first}
          class="input mono"
          name="line"
          placeholder="npm run dev"
          spellcheck={false}
        />
      </label>
      <label class="field">
        <span>Directory (your home when empty)</span>
        <input class="input mono" name="cwd" placeholder="/home/you/project" spellcheck={false} />
      </label>
      <label class="field">
        <span>Title</span>
        <input class="input" name="title" maxLength={256} />
      </label>
      {problem !== undefined && (
        <p class="form-problem" role="alert">
          {problem}
        </p>
      )}
      <div class="dialog-actions">
        <Button onClick={close}>Cancel</Button>
        <Button look="primary" type="submit" disabled={isBusy}>
          Create
        </Button>
      </div>
    </form>
  );
}
