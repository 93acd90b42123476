import { NacreError, type TerminalId, type TerminalSummary } from "@nacre/contracts";
import { useEffect, useState } from "preact/hooks";
import type { LiveState } from "../app/live.ts";
import { showError } from "../parts/toast.tsx";

/** A terminal as the list tells it, or as it was when it left the list; `none` when there never was one. */
export function useSummary(live: LiveState, id: TerminalId): TerminalSummary | "none" | undefined {
  const [ended, setEnded] = useState<TerminalSummary | "none" | undefined>(undefined);
  const [last, setLast] = useState<TerminalSummary | undefined>(undefined);
  const listed = live.find(id);
  const isListKnown = live.terminals.value !== undefined;
  useEffect(() => {
    if (listed) setLast(listed);
  }, [listed]);
  useEffect(() => {
    if (!isListKnown || listed) return;
    const read = async (): Promise<void> => {
      try {
        setEnded(await readEnded(live, id));
      } catch (error) {
        if (!(error instanceof NacreError && error.code === "terminal_not_found")) throw error;
        setEnded("none");
      }
    };
    read().catch(showError);
  }, [live, id, isListKnown, listed === undefined]);
  return listed ?? ended ?? last;
}

async function readEnded(live: LiveState, id: TerminalId): Promise<TerminalSummary> {
  const data = await live.client.readTerminal({ id });
  const { name, owner, createdAt, state, claim, exitCode, signal, cwd, inputPolicy } = data;
  const { commandDetection, viewers } = data;
  return {
    id,
    name,
    owner,
    createdAt,
    title: data.title || name || data.command || "shell",
    state,
    claim,
    exitCode,
    signal,
    cwd,
    commandDetection,
    inputPolicy,
    viewers,
  };
}
