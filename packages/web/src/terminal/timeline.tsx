import type { Command, TerminalId, TerminalSummary } from "@nacre/contracts";
import { useEffect, useRef, useState } from "preact/hooks";
import type { LiveState } from "../app/live.ts";
import { showError } from "../parts/toast.tsx";
import { TimelineCommand } from "./timeline-command.tsx";

/** So many commands are on the page; earlier ones are in the recording. */
const MAX_SHOWN = 300;
const PAGE_LENGTH = 1000;

interface TimelineProps {
  readonly live: LiveState;
  readonly terminal: TerminalSummary;
  readonly jump: (command: Command) => void;
}

/** The commands of a terminal, oldest first, as they come. */
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

/** Reads commands once, and then what was added whenever the terminal tells of another one. */
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

/** Those before the first that had not ended when they were read. */
function untilRunning(commands: readonly Command[]): readonly Command[] {
  const at = commands.findIndex(({ lastSequence }) => lastSequence === undefined);
  return at < 0 ? commands : commands.slice(0, at);
}

async function readAfter(
  live: LiveState,
  id: TerminalId,
  first: number | undefined,
): Promise<readonly Command[]> {
  const found: Command[] = [];
  for (let after = first; ;) {
    const page = await live.client.listCommands({
      id,
      limit: PAGE_LENGTH,
      ...(after === undefined ? {} : { after }),
    });
    found.push(...page.commands);
    after = page.nextAfter;
    if (after === undefined) return found;
  }
}
