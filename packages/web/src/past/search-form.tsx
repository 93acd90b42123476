import { Icon } from "../parts/icon.tsx";
import type { SearchState } from "./search-state.ts";
import { SinceField } from "./since-field.tsx";

interface SearchFormProps {
  readonly state: SearchState;
  readonly refusal: { readonly field: keyof SearchState; readonly problem: string } | undefined;
  readonly change: (changes: Partial<SearchState>) => void;
}

const MODES = [
  ["words", "All words"],
  ["substring", "Exact text"],
  ["regex", "Regular expression"],
] as const;

/** What to look for, and where. */
export function SearchForm({ state, refusal, change }: SearchFormProps) {
  const { text, mode, exit, cwd, since, owner } = state;
  return (
    <form class="search-form" role="search" onSubmit={(event) => event.preventDefault()}>
      <div class="search-box">
        <Icon name="search" />
        <input
          class="input"
          type="search"
          data-filter
          autoFocus
          autocomplete="off"
          spellcheck={false}
          maxLength={256}
          placeholder="Search everything that was recorded"
          aria-label="Search"
          value={text}
          onInput={({ currentTarget }) => change({ text: currentTarget.value })}
        />
      </div>
      <div class="filters">
        <select
          class="input"
          aria-label="How the text is understood"
          value={mode}
          onChange={({ currentTarget }) => {
            const chosen = MODES.find(([name]) => name === currentTarget.value);
            if (chosen) change({ mode: chosen[0] });
          }}
        >
          {MODES.map(([name, label]) => (
            <option key={name} value={name}>
              {label}
            </option>
          ))}
        </select>
        <ExitField exit={exit} change={(value) => change({ exit: value })} />
        <SinceField value={since} change={(value) => change({ since: value })} />
        <input
          class="input mono"
          placeholder="Directory"
          aria-label="Directory of the command"
          aria-invalid={refusal?.field === "cwd"}
          value={cwd}
          onInput={({ currentTarget }) => change({ cwd: currentTarget.value })}
        />
        <input
          class="input"
          placeholder="Owner"
          aria-label="Owner, such as Task or Task/7"
          title="A kind of owner such as Task, or one owner such as Task/7"
          value={owner}
          onInput={({ currentTarget }) => change({ owner: currentTarget.value })}
        />
      </div>
      {refusal !== undefined && (
        <p class="form-problem" role="alert">
          {refusal.problem}
        </p>
      )}
    </form>
  );
}

interface ExitFieldProps {
  readonly exit: string;
  readonly change: (value: string) => void;
}

/** How the command ended; a link may also ask for one exit code. */
function ExitField({ exit, change }: ExitFieldProps) {
  const isCode = /^-?\d/.test(exit);
  return (
    <select
      class="input"
      aria-label="How the command ended"
      value={exit}
      onChange={({ currentTarget }) => change(currentTarget.value)}
    >
      <option value="">Any exit</option>
      <option value="success">Succeeded</option>
      <option value="failure">Failed</option>
      <option value="unknown">Unknown</option>
      {isCode && <option value={exit}>Exit {exit}</option>}
    </select>
  );
}
