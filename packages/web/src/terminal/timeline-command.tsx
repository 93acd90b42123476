import { hasFailed } from "@nacre/client";
import type { Command } from "@nacre/contracts";
import { useEffect, useState } from "preact/hooks";
import type { LiveState } from "../app/live.ts";
import { Badge } from "../parts/badge.tsx";
import { copyText } from "../parts/clipboard.ts";
import { Icon } from "../parts/icon.tsx";
import { plainText } from "../parts/plain-text.ts";
import { Duration } from "../parts/time.tsx";
import { showFailures, showToast } from "../parts/toast.tsx";

/** What of an output fits beside a screen; the rest is on it. */
const SHOWN_BYTES = 16_384;
const COPIED_BYTES = 1024 * 1024;
/** Whether it began is known by then; what it does is seen on the screen. */
const BEGIN_MS = 1000;

interface TimelineCommandProps {
  readonly live: LiveState;
  readonly command: Command;
  /** Whether it can be run again. */
  readonly canRun: boolean;
  readonly jump: () => void;
}

/** One command: its line, how it ended, how long it took, and what can be done with it. */
export function TimelineCommand({ live, command, canRun, jump }: TimelineCommandProps) {
  const { terminalId: id, commandId, commandLine, durationMs, startedAt } = command;
  const [isOpen, setOpen] = useState(false);
  const isRunning = command.lastSequence === undefined;
  const copy = async (): Promise<void> => {
    const { output } = await live.client.readCommand({
      id,
      commandId,
      maxOutputBytes: COPIED_BYTES,
    });
    await copyText(plainText(output.text), "The output is copied.");
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
        <code class="clip">{commandLine === "" ? "(unknown)" : commandLine}</code>
      </button>
      <div class="command-facts">
        <ExitBadge command={command} />
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

function ExitBadge({ command }: { readonly command: Command }) {
  const { exitCode, signal, lastSequence } = command;
  if (lastSequence === undefined) return <Badge tone="info">running</Badge>;
  if (signal !== undefined) return <Badge tone="bad">{signal}</Badge>;
  if (exitCode === undefined) return <Badge title="Nobody saw it end">ended</Badge>;
  return <Badge tone={exitCode === 0 ? "good" : "bad"}>exit {exitCode}</Badge>;
}

function Output({ live, command }: { readonly live: LiveState; readonly command: Command }) {
  const [text, setText] = useState<string | undefined>(undefined);
  const { terminalId: id, commandId, lastSequence } = command;
  useEffect(() => {
    const read = async (): Promise<void> => {
      const found = await live.client.readCommand({ id, commandId, maxOutputBytes: SHOWN_BYTES });
      setText(plainText(found.output.text).trimEnd());
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
