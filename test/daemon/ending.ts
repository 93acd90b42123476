// A daemon that is told to end while its terminals write and are watched.
import assert from "node:assert/strict";
import type { NacreClient } from "@nacre/client";
import type { TerminalId } from "@nacre/contracts";
import { WebSocket } from "ws";
import { DaemonProcess } from "../support/daemon-process.ts";
import { ownDirectory } from "../support/own-directory.ts";
import type { DaemonPlan } from "./plan.ts";

/** Whoever stops a daemon kills it after this. */
const MAX_ENDING_MS = 6000;

/** Programs of every kind: one that writes without end, one that ignores the wish to end, one that waits. */
const PROGRAMS = [
  "while :; do echo still here; done",
  "trap '' TERM HUP; while :; do echo stubborn; read -r -t 1 line; done",
  "exec cat",
];

/** Ends a daemon under load; throws when it takes too long or a terminal has no end in its recording. */
export async function endUnderLoad({ busyTerminals, isJudged }: DaemonPlan): Promise<string> {
  using home = ownDirectory();
  await using daemon = await DaemonProcess.start({ home: home.path });
  const client = daemon.client();
  const ids = await Promise.all(
    Array.from({ length: busyTerminals }, async (_, index) => {
      const args = ["-c", `echo begun; ${PROGRAMS[index % PROGRAMS.length]}`];
      const { id } = await client.createTerminal({ command: "/bin/bash", args });
      const until = [{ kind: "text" as const, text: "begun" }];
      assert.equal((await client.waitFor({ id, until, after: 0 })).outcome, "text");
      return id;
    }),
  );
  const watched = await Promise.all(ids.map((id) => watch(daemon, id)));
  const { code, signal, durationMs } = await daemon.end("SIGTERM");
  assert.deepEqual({ code, signal }, { code: 0, signal: null }, daemon.said.error);
  if (isJudged) assert.ok(durationMs < MAX_ENDING_MS, `ending took ${durationMs.toFixed(0)} ms`);
  await using again = await DaemonProcess.start({ home: home.path });
  for (const id of ids) await assertEnded(again.client(), id);
  const told = (await Promise.all(watched.map(({ ended }) => ended))).filter(Boolean).length;
  return `${ids.length} busy terminals, ended in ${(durationMs / 1000).toFixed(2)} s, all with their exit recorded; ${told} of as many viewers were told`;
}

/** Watches a terminal until the connection ends; resolves with whether its end was told. */
async function watch(
  { port, token }: DaemonProcess,
  id: string,
): Promise<{ readonly ended: Promise<boolean> }> {
  const address = `ws://127.0.0.1:${port}/api/terminals/${id}/connect?control=1`;
  const socket = new WebSocket(address, { headers: { authorization: `Bearer ${token}` } });
  let isTold = false;
  socket.on("message", (data: Buffer, isBinary: boolean) => {
    if (!isBinary && data.toString().includes('"type":"exit"')) isTold = true;
  });
  const ended = new Promise<boolean>((resolve, reject) => {
    socket.on("close", () => resolve(isTold));
    socket.on("error", reject);
  });
  ended.catch(() => undefined);
  await new Promise((resolve) => {
    socket.on("open", resolve);
  });
  return { ended };
}

async function assertEnded(client: NacreClient, terminalId: TerminalId): Promise<void> {
  const { entries } = await client.findRecordingEntries({ terminalId, types: ["exit"] });
  assert.equal(entries.length, 1, `${terminalId} has ${entries.length} ends in its recording`);
}
