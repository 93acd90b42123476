import { describeState, formatBytes } from "@nacre/client/ui";
import { useEffect, useMemo, useState } from "preact/hooks";
import { FactBadge } from "../parts/badge.tsx";
import { Button } from "../parts/button.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { EmptyState } from "../parts/empty-state.tsx";
import { Icon } from "../parts/icon.tsx";
import { Age, Duration } from "../parts/time.tsx";
import { describeError, showFailures, showToast } from "../parts/toast.tsx";
import type { LiveState } from "../state/live-state.ts";
import { go } from "../state/place.ts";
import type { ViewProps } from "../state/view.ts";
import { DownloadMenu } from "./download-menu.tsx";
import { linkToMoment } from "./moment.ts";
import { isWanted, lineOf, type RecordingLine } from "./recording-line.ts";
import { RecordingRows } from "./recording-rows.ts";
import { ownerOf, SINCE_MS, useListKeys } from "./search-state.ts";
import { SinceField } from "./since-field.tsx";

/** So many lines are shown before somebody asks for more. */
const SHOWN_LINES = 100;

const STATES = ["", "running", "ended"] as const;

/** What is recorded, of terminals that run and that ended. */
export function RecordingsView({ live, query }: ViewProps) {
  const text = query.get("q") ?? "";
  const owner = query.get("owner") ?? "";
  const since = query.get("since") ?? "";
  const state = STATES.find((one) => one === query.get("state")) ?? "";
  const [shown, setShown] = useState(SHOWN_LINES);
  const [doomed, setDoomed] = useState<RecordingLine | undefined>(undefined);
  const list = useMemo(() => new RecordingRows(live.client, ownerOf(owner)), [live, owner]);
  useEffect(() => () => list[Symbol.dispose](), [list]);
  useListKeys();

  const summaries = new Map((live.terminals.value ?? []).map((one) => [one.id, one]));
  const facts = list.facts.value;
  const sinceMs = SINCE_MS[since];
  const filter = { text, state, since: sinceMs === undefined ? undefined : Date.now() - sinceMs };
  const wanted = list.rows.value
    .map((row) => lineOf(row, summaries.get(row.id), facts.get(row.id)))
    .filter((line) => isWanted(line, filter));
  const lines = wanted.slice(0, shown);
  const isComplete = list.isComplete.value;

  useEffect(() => {
    // Filters look at all there is; rows are cheap.
    if (!isComplete && wanted.length < shown) showFailures(list.readMore());
  }, [list, isComplete, wanted.length, shown, list.rows.value.length]);
  const shownKey = lines.map(({ row, isRunning }) => `${row.id} ${isRunning}`).join();
  useEffect(() => list.lookInto(lines), [list, shownKey]);
  const newest = live.terminals.value?.at(-1)?.id;
  const isRead = isComplete || list.rows.value.length > 0;
  const isNew = newest !== undefined && !list.rows.value.some(({ id }) => id === newest);
  useEffect(() => {
    if (isRead && isNew) showFailures(list.readNew());
  }, [list, isRead, isNew, newest]);

  const change = (name: string, value: string): void => {
    const details = { ...Object.fromEntries(query), [name]: value };
    const kept = Object.entries(details).filter(([, detail]) => detail !== "");
    go("/recordings", Object.fromEntries(kept), { replace: true });
  };
  const isFiltered = text !== "" || owner !== "" || since !== "" || state !== "";
  return (
    <div class="view">
      <div class="view-head">
        <h1>Recordings</h1>
        <div class="filters" role="search" aria-label="Filter recordings">
          <input
            class="input"
            type="search"
            data-filter
            placeholder="Title, directory, owner…"
            aria-label="Filter by text"
            value={text}
            onInput={({ currentTarget }) => change("q", currentTarget.value)}
          />
          <input
            class="input"
            placeholder="Owner"
            aria-label="Owner, such as Task or Task/7"
            title="A kind of owner such as Task, or one owner such as Task/7"
            value={owner}
            onChange={({ currentTarget }) => change("owner", currentTarget.value)}
          />
          <select
            class="input"
            aria-label="State"
            value={state}
            onChange={({ currentTarget }) => change("state", currentTarget.value)}
          >
            <option value="">Any state</option>
            <option value="running">Running</option>
            <option value="ended">Ended</option>
          </select>
          <SinceField value={since} change={(value) => change("since", value)} />
        </div>
      </div>
      {list.problem.value !== undefined && (
        <p class="form-problem" role="alert">
          {describeError(list.problem.value)}{" "}
          <Button small onClick={() => showFailures(list.readMore())}>
            Try again
          </Button>
        </p>
      )}
      {lines.length > 0 && (
        <RecordingTable live={live} lines={lines} askDelete={(line) => setDoomed(line)} />
      )}
      {lines.length === 0 && isComplete && (
        <Nothing isFiltered={isFiltered} clear={() => go("/recordings", {}, { replace: true })} />
      )}
      {wanted.length > shown && (
        <div class="more">
          <Button onClick={() => setShown(shown + SHOWN_LINES)}>Show more</Button>
        </div>
      )}
      <DeleteRecording
        live={live}
        line={doomed}
        close={() => setDoomed(undefined)}
        handleDeleted={({ row }) => list.forget(row.id)}
      />
    </div>
  );
}

function Nothing({
  isFiltered,
  clear,
}: {
  readonly isFiltered: boolean;
  readonly clear: () => void;
}) {
  if (isFiltered) {
    return (
      <EmptyState
        title="No recording is like that"
        action={<Button onClick={clear}>Show all</Button>}
      >
        Try fewer filters; to look for what was written in terminals, use the search.
      </EmptyState>
    );
  }
  return (
    <EmptyState title="Nothing is recorded yet" action={<a href="#/">Open a terminal</a>}>
      Every terminal is recorded from its first byte. Create one, and it is here at once, also after
      it has ended.
    </EmptyState>
  );
}

interface DeleteRecordingProps {
  readonly live: LiveState;
  /** What is to be deleted; nothing is asked while it is undefined. */
  readonly line: RecordingLine | undefined;
  readonly close: () => void;
  readonly handleDeleted: (line: RecordingLine) => void;
}

/** Asks before a recording is deleted, as nothing brings it back. */
function DeleteRecording({ live, line, close, handleDeleted }: DeleteRecordingProps) {
  const [problem, setProblem] = useState("");
  const [isBusy, setIsBusy] = useState(false);
  const handleClose = (): void => {
    setProblem("");
    close();
  };
  const handleDelete = async (wanted: RecordingLine): Promise<void> => {
    setIsBusy(true);
    try {
      await live.client.deleteRecording({ id: wanted.row.id });
      showToast("The recording is deleted.");
      handleDeleted(wanted);
      handleClose();
    } catch (error) {
      setProblem(describeError(error));
    } finally {
      setIsBusy(false);
    }
  };
  return (
    <Dialog isOpen={line !== undefined} title="Delete this recording?" close={handleClose}>
      <p>
        <strong class="delete-name">{line?.title}</strong>
      </p>
      <p class="quiet">
        {line?.isRunning
          ? "The terminal still runs: it is ended, and then removed with everything it recorded."
          : "Everything it recorded is removed."}{" "}
        Nothing brings it back.
      </p>
      {problem !== "" && (
        <p class="form-problem" role="alert">
          {problem}
        </p>
      )}
      <div class="dialog-actions">
        <Button onClick={handleClose}>Keep it</Button>
        <Button
          look="bad"
          symbol="trash"
          disabled={isBusy}
          onClick={() => line && void handleDelete(line)}
        >
          Delete
        </Button>
      </div>
    </Dialog>
  );
}

interface RecordingTableProps {
  readonly live: LiveState;
  readonly lines: readonly RecordingLine[];
  readonly askDelete: (line: RecordingLine) => void;
}

/** Recordings, one on each line. */
function RecordingTable({ live, lines, askDelete }: RecordingTableProps) {
  return (
    <table class="recordings">
      <thead>
        <tr>
          <th scope="col">Recording</th>
          <th scope="col">State</th>
          <th scope="col">Owner</th>
          <th scope="col" class="number">
            Length
          </th>
          <th scope="col" class="number">
            Size
          </th>
          <th scope="col" class="number">
            Age
          </th>
          <th scope="col">
            <span class="visually-hidden">What to do</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {lines.map((line) => (
          <Line key={line.row.id} live={live} line={line} askDelete={() => askDelete(line)} />
        ))}
      </tbody>
    </table>
  );
}

interface LineProps {
  readonly live: LiveState;
  readonly line: RecordingLine;
  readonly askDelete: () => void;
}

function Line({ live, line, askDelete }: LineProps) {
  const { row, title, isRunning, durationMs, outputBytes } = line;
  return (
    <tr>
      <td class="recording-name">
        <a class="clip" href={linkToMoment(row.id)} data-list-item title={row.id}>
          {title}
        </a>
        <span class="clip quiet mono">{row.workingDirectory}</span>
      </td>
      <td>
        <FactBadge fact={describeState(line)} />
      </td>
      <td class="recording-owner">
        <span class="clip">
          {row.owner.entityName} <span class="quiet">{row.owner.entityId}</span>
        </span>
      </td>
      <td class="number">
        {isRunning ? (
          <Duration since={row.createdAt} />
        ) : (
          durationMs !== undefined && <Duration ms={durationMs} />
        )}
      </td>
      <td class="number time">{outputBytes === undefined ? "" : formatBytes(outputBytes)}</td>
      <td class="number">
        <Age at={row.createdAt} />
      </td>
      <td class="recording-actions">
        <DownloadMenu live={live} id={row.id} isBare />
        {!live.isReader.value && (
          <button
            type="button"
            class="icon-button"
            aria-label={`Delete ${title}`}
            title="Delete"
            onClick={askDelete}
          >
            <Icon name="trash" />
          </button>
        )}
      </td>
    </tr>
  );
}
