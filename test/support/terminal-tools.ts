// What the tests of whole terminals share.
import { spawnSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type Caller,
  CallerId,
  type Claim,
  ClientId,
  decodeBytes,
  type OutputPosition,
  type Scope,
  type TerminalId,
  type TerminalInput,
} from "@nacre/contracts";
import {
  createHost,
  type FeedMessage,
  type FeedOptions,
  type Host,
  type HostOptions,
  LOCAL_CALLER,
  type Recordings,
  type Terminal,
} from "@nacre/host";

/** Who asks in tests. */
export const OWNER = { entityName: "Task", entityId: "7" };

/** Long enough for a busy machine; nothing waits for it that goes well. */
export const DEADLINE_MS = 10_000;

/** An entry with its data as bytes. */
export type Entry = Awaited<ReturnType<Recordings["readEntries"]>>[number];

/** A host whose store is on disk; everything goes with it. */
export async function openHost(options: HostOptions = {}): Promise<Host & AsyncDisposable> {
  const directory = await mkdtemp(join(tmpdir(), "nacre-test-"));
  const host = await createHost({ directory, ...options });
  const dispose = host[Symbol.asyncDispose].bind(host);
  return Object.assign(host, {
    [Symbol.asyncDispose]: async () => {
      await dispose();
      await rm(directory, { recursive: true, force: true });
    },
  });
}

/** A directory of its own that goes with the test. */
export async function ownDirectory(): Promise<{ readonly path: string } & AsyncDisposable> {
  const path = await mkdtemp(join(tmpdir(), "nacre-test-"));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

/** What to create a terminal from that runs this command line with sh. */
export const shLine = (line: string): TerminalInput => ({
  owner: OWNER,
  workingDirectory: "/tmp",
  command: "/bin/sh",
  args: ["-c", line],
});

/** A shell of this name without a home, so that nobody's own settings matter and none are changed. */
export const shellNamed = (shell: string, env: Record<string, string> = {}): TerminalInput => ({
  owner: OWNER,
  workingDirectory: "/tmp",
  shell,
  env: { HOME: "/nonexistent", ...env },
});

/** A person at a client. */
export const person = (name: string, scope: Scope = "operator"): Caller => ({
  id: CallerId.parse(name),
  scope,
  clientId: ClientId.parse(name),
});

/** An agent that acts for a session. */
export const agent = (session: string): Caller => ({
  id: CallerId.parse(`agent-${session}`),
  scope: "agent",
  session,
});

/** The claim of a client. */
export const clientClaim = (name: string): Claim => ({
  kind: "client",
  clientId: ClientId.parse(name),
});

/** Types as the program that embeds the host. */
export const type = (terminal: Terminal, data: string | Uint8Array): Promise<void> =>
  terminal.write(data, { by: LOCAL_CALLER });

/** Resolves with the place where a text was written after a sequence; fails when it is not. */
export async function untilText(terminal: Terminal, text: string, after = 0): Promise<number> {
  const until = [{ kind: "text", text } as const];
  const { outcome, sequence } = await terminal.wait({ until, after, timeoutMs: DEADLINE_MS });
  if (outcome === "text") return sequence;
  const end = JSON.stringify((await outputOf(terminal)).slice(-500));
  throw new Error(`${JSON.stringify(text)} did not come (${outcome}); the end was ${end}`);
}

/** Everything that a terminal wrote so far, as readers by position get it. */
export async function outputOf(terminal: Terminal): Promise<string> {
  const pieces: Uint8Array[] = [];
  for (let position: OutputPosition = { after: 0 }; ;) {
    const page = await terminal.readOutput({ position, maxBytes: 1024 * 1024 });
    pieces.push(decodeBytes(page));
    const isMore = page.data !== "";
    position = page.position;
    if (!isMore) return Buffer.concat(pieces).toString();
  }
}

/** All messages of a feed to its end. */
export async function followed(
  terminal: Terminal,
  options: FeedOptions = { after: 0, whenBehind: "replay" },
): Promise<FeedMessage[]> {
  const messages: FeedMessage[] = [];
  for await (const message of terminal.subscribe(options)) messages.push(message);
  return messages;
}

/** What the views of a feed's entries say together. */
export const viewOf = (messages: readonly FeedMessage[]): string =>
  Buffer.concat(
    messages.flatMap((message) => (message.kind === "entry" ? (message.view ?? []) : [])),
  ).toString();

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

/** Whether a process of this number is there and does not only wait for its parent to notice that it ended. */
export function isAlive(pid: number): boolean {
  const { stdout } = spawnSync("ps", ["-o", "stat=", "-p", String(pid)], { encoding: "utf8" });
  return stdout.trim() !== "" && !stdout.trim().startsWith("Z");
}
