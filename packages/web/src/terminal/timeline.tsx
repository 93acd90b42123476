import {
  type After,
  describeCommand,
  hasFailed,
  PAGE_ROWS,
  readAll,
  shortLabel,
} from "@nacre/client/ui";
import type { Command, TerminalId, TerminalSummary } from "@nacre/contracts";
import { useEffect, useRef, useState } from "preact/hooks";
import { FactBadge } from "../parts/badge.tsx";
import { Icon } from "../parts/icon.tsx";
import { Duration } from "../parts/time.tsx";
import { copyText, showError, showFailures, showToast } from "../parts/toast.tsx";
import type { LiveState } from "../state/live-state.ts";

/** More would not fit beside a screen. */
const SHOWN_BYTES = 16_384;
const COPIED_BYTES = 1024 * 1024;
/** By then it is known whether the command started; the screen shows the rest. */
const BEGIN_MS = 1000;

interface TimelineCommandProps {
  readonly live: LiveState;
  readonly command: Command;
  readonly canRun: boolean;
  readonly jump: () => void;
}

function TimelineCommand({ live, command, canRun, jump }: TimelineCommandProps) {
  const { terminalId: id, commandId, commandLine, durationMs, startedAt } = command;
  const [isOpen, setOpen] = useState(false);
  const isRunning = command.lastSequence === undefined;
  const copy = async (): Promise<void> => {
    const { output } = await live.client.readCommand({
      id,
      commandId,
      maxOutputBytes: COPIED_BYTES,
      view: "text",
    });
    await copyText(output.text, "The output is copied.");
  };
  const rerun = async (): Promise<void> => {
    const { outcome } = await live.client.runCommand({ id, commandLine, timeoutMs: BEGIN_MS });
    if (outcome === "refused") showToast("The shell did not run it.", "bad");
  };
  const duration = durationMs === undefined ? { since: startedAt } : { ms: durationMs };
  return (
    <li class="command" data-failed={hasFailed(command) || undefined}>
      <button
        type="button"
        class="command-line"
        aria-expanded={isOpen}
        title={commandLine}
        onClick={() => setOpen(!isOpen)}
      >
        <Icon name={isOpen ? "down" : "right"} />
        <code class="clip">{shortLabel(commandLine) || "(unknown)"}</code>
      </button>
      <div class="command-facts">
        <FactBadge fact={describeCommand(command)} />
        {(isRunning || durationMs !== undefined) && <Duration {...duration} />}
        <span class="command-actions">
          <Action name="eye" label="Jump to it" act={jump} />
          <Action name="copy" label="Copy its output" act={() => showFailures(copy())} />
          {canRun && <Action name="rerun" label="Run it again" act={() => showFailures(rerun())} />}
        </span>
      </div>
      {isOpen && <Output live={live} command={command} />}
    </li>
  );
}

interface ActionProps {
  readonly name: "eye" | "copy" | "rerun";
  readonly label: string;
  readonly act: () => void;
}

const Action = ({ name, label, act }: ActionProps) => (
  <button type="button" class="icon-button" title={label} aria-label={label} onClick={act}>
    <Icon name={name} />
  </button>
);

function Output({ live, command }: { readonly live: LiveState; readonly command: Command }) {
  const [text, setText] = useState<string | undefined>(undefined);
  const { terminalId: id, commandId, lastSequence } = command;
  useEffect(() => {
    const read = async (): Promise<void> => {
      const asked = { id, commandId, maxOutputBytes: SHOWN_BYTES, view: "text" } as const;
      const found = await live.client.readCommand(asked);
      setText(found.output.text.trimEnd());
    };
    showFailures(read());
  }, [live, id, commandId, lastSequence]);
  if (text === "") return <p class="command-output quiet">It wrote nothing.</p>;
  return (
    <pre class="command-output" tabIndex={0} aria-label="Output">
      {text ?? "…"}
    </pre>
  );
}

/** Earlier commands are in the recording. */
const MAX_SHOWN = 300;

interface TimelineProps {
  readonly live: LiveState;
  readonly terminal: TerminalSummary;
  readonly jump: (command: Command) => void;
}

/** Oldest first. */
export function Timeline({ live, terminal, jump }: TimelineProps) {
  const commands = useCommands(live, terminal);
  const list = useRef<HTMLOListElement>(null);
  const newest = commands?.at(-1)?.commandId;
  useEffect(() => {
    const element = list.current;
    if (element) element.scrollTop = element.scrollHeight;
  }, [newest]);
  const shown = commands?.slice(-MAX_SHOWN) ?? [];
  return (
    <aside class="timeline" aria-label="Commands">
      <header>
        <h2>Commands</h2>
        {commands !== undefined && <span class="quiet time">{commands.length}</span>}
      </header>
      {commands?.length === 0 && (
        <p class="timeline-empty">
          {terminal.commandDetection === "none"
            ? "The program of this terminal reports no commands."
            : "No command yet. Type one, and it appears here with its exit code and its time."}
        </p>
      )}
      {/* A list that scrolls is reached by the keyboard too. */}
      <ol ref={list} tabIndex={0} aria-label="Commands, oldest first">
        {commands !== undefined && commands.length > MAX_SHOWN && (
          <li class="timeline-earlier quiet">{commands.length - MAX_SHOWN} earlier</li>
        )}
        {shown.map((command) => (
          <TimelineCommand
            key={command.commandId}
            live={live}
            command={command}
            canRun={terminal.state === "active" && !live.isReader.value}
            jump={() => jump(command)}
          />
        ))}
      </ol>
    </aside>
  );
}

/** Reads once, then increments whenever the terminal reports another command. */
function useCommands(live: LiveState, terminal: TerminalSummary): readonly Command[] | undefined {
  const { id, runningCommand, lastCommand, state } = terminal;
  const [commands, setCommands] = useState<readonly Command[] | undefined>(undefined);
  const known = useRef<readonly Command[]>([]);
  useEffect(() => {
    let isCurrent = true;
    const read = async (): Promise<void> => {
      const settled = untilRunning(known.current);
      const found = [...settled, ...(await readAfter(live, id, settled.at(-1)?.firstSequence))];
      if (!isCurrent) return;
      known.current = found;
      setCommands(found);
    };
    read().catch(showError);
    return () => {
      isCurrent = false;
    };
  }, [live, id, state, runningCommand?.commandId, lastCommand?.commandId, live.connection.value]);
  return commands;
}

/** Before the first that was still running. */
function untilRunning(commands: readonly Command[]): readonly Command[] {
  const at = commands.findIndex(({ lastSequence }) => lastSequence === undefined);
  return at < 0 ? commands : commands.slice(0, at);
}

const readAfter = (
  { client }: LiveState,
  id: TerminalId,
  first: number | undefined,
): Promise<readonly Command[]> =>
  readAll(
    (after: After<number>) => client.listCommands({ id, limit: PAGE_ROWS, ...after }),
    ({ commands }) => commands,
    first,
  );
