import type { LiveState } from "../app/live.ts";
import { Icon } from "../parts/icon.tsx";
import { Age, Duration } from "../parts/time.tsx";
import { DownloadMenu } from "./download-menu.tsx";
import { type RecordingLine, sizeText } from "./recording-line.ts";
import { RecordingStateBadge } from "./state-badge.tsx";
import { linkToMoment } from "./terminal-link.ts";

interface RecordingTableProps {
  readonly live: LiveState;
  readonly lines: readonly RecordingLine[];
  readonly askDelete: (line: RecordingLine) => void;
}

/** Recordings, one on each line. */
export function RecordingTable({ live, lines, askDelete }: RecordingTableProps) {
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
        <RecordingStateBadge line={line} />
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
      <td class="number time">{outputBytes === undefined ? "" : sizeText(outputBytes)}</td>
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
