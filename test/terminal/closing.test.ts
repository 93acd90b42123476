// What programs are told before they are ended, whoever ends them from within the same process.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { createHost, type Host, LOCAL_CALLER, type Terminal } from "@nacre/host";
import { isAlive } from "../../packages/host/src/pty/process-tree.ts";
import { Reaper } from "../../packages/host/src/registry/reaper.ts";
import { agent } from "../support/callers.ts";
import { type CleanUp, ROLES, type Role, startCleaner } from "../support/cleaner.ts";
import { ownDirectory } from "../support/own-directory.ts";
import { openHost } from "../support/open-host.ts";
import { OWNER, shLine } from "../support/terminal-input.ts";
import { untilText } from "../support/terminal-output.ts";

const host = await openHost();
const directory = ownDirectory();
afterAll(async () => {
  await host[Symbol.asyncDispose]();
  directory[Symbol.dispose]();
});

interface Started {
  readonly terminal: Terminal;
  readonly cleaner: CleanUp;
}

const launch = (on: Host) => async (input: object) => {
  const terminal = await on.createTerminal(
    { owner: OWNER, workingDirectory: "/tmp", ...input },
    { by: agent("closing") },
  );
  return {
    id: terminal.id,
    terminal,
    type: (text: string) => terminal.write(text, { by: LOCAL_CALLER }),
  };
};

const startAll = (on: Host): Promise<Started[]> =>
  Promise.all(
    ROLES.map(async (role: Role) => {
      const { cleaner, started } = await startCleaner(directory.path, role, launch(on));
      return { terminal: started.terminal, cleaner };
    }),
  );

type Way = (terminals: readonly Terminal[], on: Host) => Promise<unknown>;

const eachId = (terminals: readonly Terminal[], end: (id: Terminal["id"]) => Promise<unknown>) =>
  Promise.all(terminals.map(({ id }) => end(id)));

const WAYS: readonly (readonly [string, Way])[] = [
  ["dispose", (terminals, { registry }) => eachId(terminals, (id) => registry.dispose(id))],
  ["delete", (terminals, { registry }) => eachId(terminals, (id) => registry.delete(id))],
  ["the end of a session", (_, { registry }) => registry.disposeSession("closing")],
  ["the end of an owner", (_, { registry }) => registry.disposeOwner(OWNER)],
  ["the end of the host", (_, own) => own[Symbol.asyncDispose]()],
];

test.each(WAYS)(
  "S-F1: %s lets a leader, a job in the foreground and one in the background clean up",
  async (_name, end) => {
    await using own = await createHost();
    const started = await startAll(own);
    await end(
      started.map(({ terminal }) => terminal),
      own,
    );
    expect(started.map(({ cleaner }) => cleaner.said())).toEqual(ROLES.map(() => "up cleaned"));
  },
);

test("S-F1: the reaper lets programs clean up", async () => {
  await using own = await createHost();
  const started = await startAll(own);
  const problems: unknown[] = [];
  using reaper = new Reaper({
    registry: own.registry,
    policy: { idleAfterMs: 60_000 },
    handleReap: () => undefined,
    handleProblem: (error) => problems.push(error),
  });
  reaper.reap(performance.now() + 60_000);
  for (const { cleaner } of started) await expect.poll(cleaner.said).toBe("up cleaned");
  expect(problems).toEqual([]);
});

test("S-F1: by force nothing is waited for", async () => {
  const started = await startAll(host);
  await Promise.all(
    started.map(({ terminal }) => host.registry.dispose(terminal.id, { force: true })),
  );
  expect(started.map(({ cleaner }) => cleaner.said())).toEqual(ROLES.map(() => "up"));
});

test("S-F1: what a program left in the background is told too, when the program has ended long ago", async () => {
  const log = join(directory.path, "left");
  const line = `trap 'echo cleaned >>${log}; exit' TERM; echo up >>${log}; while :; do sleep 0.05; done`;
  // Before it has left the session, the end of the leader hangs up on it.
  const untilUp = `while [ ! -s ${log} ]; do sleep 0.01; done`;
  const terminal = await host.createTerminal(shLine(`setsid sh -c "${line}" & ${untilUp}`));
  await terminal.ended;
  const said = (): string => readFileSync(log, "utf8");
  expect(said()).toBe("up\n");
  await host.registry.dispose(terminal.id);
  expect(said()).toBe("up\ncleaned\n");
});

test("S-F1: what does not end by itself is gone when the terminal is", async () => {
  const terminal = await host.createTerminal(
    shLine("trap '' TERM HUP; echo $$; while :; do sleep 0.05; done"),
  );
  await untilText(terminal, "\n");
  const processes = await terminal.processes();
  await host.registry.dispose(terminal.id);
  expect(await terminal.ended).toMatchObject({ signal: "SIGKILL" });
  expect(processes.length).toBeGreaterThan(0);
  expect(processes.filter(isAlive)).toEqual([]);
});
