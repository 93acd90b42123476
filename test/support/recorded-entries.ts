import type { TerminalId } from "@nacre/contracts";
import type { Host, Recordings, Terminal } from "@nacre/host";

/** An entry with its data as bytes. */
export type Entry = Awaited<ReturnType<Recordings["readEntries"]>>[number];

/** Everything that was recorded. */
export async function entriesOf(host: Host, terminalId: TerminalId): Promise<Entry[]> {
  const all: Entry[] = [];
  for (;;) {
    const after = all.at(-1)?.sequence ?? 0;
    const limits = { limit: 1000, maxBytes: 4 * 1024 * 1024 };
    const page = await host.recordings.readEntries({ terminalId, after, ...limits });
    if (page.length === 0) return all;
    all.push(...page);
  }
}

/** Everything that was recorded as output, raw. */
export async function recordedOutput(host: Host, terminal: Terminal): Promise<Buffer> {
  const entries = await entriesOf(host, terminal.id);
  return Buffer.concat(
    entries.flatMap((entry) => (entry.type === "output" ? (entry.data ?? []) : [])),
  );
}

/** Everything that was recorded as input, one piece per message. */
export async function recordedInput(host: Host, terminal: Terminal): Promise<Buffer[]> {
  const entries = await entriesOf(host, terminal.id);
  return entries.flatMap((entry) =>
    entry.type === "input" && entry.data ? Buffer.from(entry.data) : [],
  );
}
