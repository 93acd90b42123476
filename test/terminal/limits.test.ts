import { defaultLaunchPolicy, LOCAL_CALLER } from "@nacre/host";
import { expect, test } from "vitest";
import { openHost } from "../support/open-host.ts";
import { shLine } from "../support/terminal-input.ts";
import { DEADLINE_MS } from "../support/terminal-output.ts";

const MEGABYTE = 1024 * 1024;

/** Each opens a host of its own, which takes long where many tests run at once. */
const SLOW = { timeout: 90_000 };

/** A host that lets programs have no more than this. */
const limitedHost = () =>
  openHost({
    policy: {
      ...defaultLaunchPolicy("test"),
      limits: { defaults: { maxMemoryBytes: 512 * MEGABYTE, maxOpenFiles: 256 }, cgroups: false },
    },
  });

test("a terminal says what its programs are held to, by default and on request", SLOW, async () => {
  await using host = await limitedHost();
  const by = LOCAL_CALLER;
  const usual = await host.createTerminal(shLine("exec cat"), { by });
  expect((await usual.reader.read()).limits).toEqual({
    mechanism: "rlimit",
    maxMemoryBytes: 512 * MEGABYTE,
    maxOpenFiles: 256,
  });
  const limits = { maxOpenFiles: 64, maxCpuSeconds: 10 };
  const created = await host.operations.call(
    "createTerminal",
    { commandLine: "ulimit -n; exec cat", workingDirectory: "/tmp", limits },
    { caller: by, via: "http" },
  );
  expect(created.limits).toEqual({
    mechanism: "rlimit",
    maxMemoryBytes: 512 * MEGABYTE,
    ...limits,
  });
  const terminal = host.registry.get(created.id);
  const until = [{ kind: "text" as const, text: "64" }];
  await expect(terminal.wait({ until, after: 0, timeoutMs: DEADLINE_MS })).resolves.toMatchObject({
    outcome: "text",
  });
  await terminal.kill(by, 0);
  expect((await terminal.reader.read()).limits).toBeUndefined();
});

test("nobody gets more than the host allows, nor what the system cannot keep", SLOW, async () => {
  await using host = await limitedHost();
  const create = (limits: object) =>
    host.createTerminal(shLine("exit"), { by: LOCAL_CALLER, limits });
  await expect(create({ maxOpenFiles: 257 })).rejects.toMatchObject({
    code: "invalid_argument",
    field: "limits.maxOpenFiles",
  });
  await expect(create({ maxCpus: 1 })).rejects.toMatchObject({ code: "unsupported" });
  await expect(create({ maxMemoryBytes: -1 })).rejects.toMatchObject({ code: "invalid_argument" });
  expect(host.registry.list()).toEqual([]);
});

test("that a limit ended a program is recorded and told", SLOW, async () => {
  await using host = await limitedHost();
  const terminal = await host.createTerminal(shLine("while :; do :; done"), {
    by: LOCAL_CALLER,
    limits: { maxCpuSeconds: 1 },
  });
  await terminal.ended;
  expect(await terminal.reader.read()).toMatchObject({
    signal: "SIGXCPU",
    limitReached: "cpuTime",
  });
  await host.registry.dispose(terminal.id);
  const later = await host.registry.read(terminal.id);
  expect(later).toMatchObject({ signal: "SIGXCPU", limitReached: "cpuTime", exitCode: null });
  expect(later.recordingEntries.at(-1)).toMatchObject({ type: "exit", limitReached: "cpuTime" });
});
