import { join } from "node:path";
import { TerminalId } from "@nacre/contracts";
import { Recordings } from "@nacre/host";
import { expect, test } from "vitest";
import { makeHome, ServeProcess } from "./testing/nacre-process.ts";

const TERMINALS = 20;

/** Ends by the signal, ignores it, answers it and goes on, or has a child that ignores it. */
const SCRIPTS = [
  "echo up; exec sleep 1000",
  "trap '' TERM HUP INT; echo up; while :; do sleep 1000; done",
  "(trap '' TERM HUP; exec sleep 1000) & echo up; wait",
  "trap 'echo asked to end' TERM HUP INT; echo up; while :; do sleep 1000 & wait; done",
  "echo up; exec cat",
];

test("SIGTERM ends 20 terminals, some of which ignore it, writes down how, and takes less than 6 s", async () => {
  const home = makeHome();
  await using daemon = await ServeProcess.start({ home });
  const created = await Promise.all(
    Array.from({ length: TERMINALS }, (_, index) =>
      daemon.ask("POST", "/api/terminals", {
        command: "/bin/sh",
        args: ["-c", SCRIPTS[index % SCRIPTS.length]],
      }),
    ),
  );
  const ids = created.map((terminal) => (terminal as { id: string }).id);
  const wait = { until: [{ kind: "text", text: "up" }], after: 0, timeoutMs: 10_000 };
  const waits = ids.map((id) => daemon.ask("POST", `/api/terminals/${id}/wait`, wait));
  for (const waited of await Promise.all(waits)) expect(waited).toMatchObject({ outcome: "text" });
  const startedAt = performance.now();
  expect(await daemon.end("SIGTERM")).toBe(0);
  expect(performance.now() - startedAt).toBeLessThan(6000);
  await using recordings = await Recordings.open({ directory: join(home, "recordings") });
  const rows = await recordings.listTerminals({ limit: 100 });
  expect(new Set(rows.map(({ id }) => id))).toEqual(new Set(ids));
  for (const { id } of rows) {
    const { entries } = await recordings.findEntries({ terminalId: id, types: ["exit"] });
    expect(entries).toHaveLength(1);
  }
  // Programs are asked before they are made to.
  const answered = ids[SCRIPTS.findIndex((script) => script.includes("asked to end"))] ?? "";
  const { entries } = await recordings.findEntries({
    terminalId: TerminalId.parse(answered),
    types: ["output"],
  });
  expect(JSON.stringify(entries)).toContain("asked to end");
});
