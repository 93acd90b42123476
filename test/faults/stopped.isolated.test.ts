import { statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "vitest";
import { waitUntil } from "../support/wait-until.ts";
import { FaultyDaemon } from "./faulty-daemon.ts";
import { counting, LONG_TEST, recordedOutput } from "./recorded.ts";

/** Longer than a keeper is waited for. */
const STOPPED_MS = 6000;

test(
  "a keeper that was stopped is told of, and whoever asks is told so; when it goes on, nothing is missing",
  LONG_TEST,
  async () => {
    await using daemon = await FaultyDaemon.start();
    const { client, keeperPid } = daemon;
    const truth = join(daemon.home, "truth");
    const id = await daemon.run(counting("truth"));
    const echo = await daemon.run("exec cat");
    process.kill(keeperPid, "SIGSTOP");
    const create = daemon.run("exit 0");
    await expect(client.sendInput({ id: echo, data: "lost\\r" })).rejects.toMatchObject({
      code: "unavailable",
      message: expect.stringContaining("the keeper does not answer"),
    });
    await expect(create).rejects.toMatchObject({ code: "unavailable" });
    expect(await client.readHost({})).toMatchObject({
      keeper: { state: "silent", pid: keeperPid },
    });
    expect(await daemon.metric("nacre_keeper_ok")).toBe(0);
    // From here on nobody waits at all.
    await expect(client.sendInput({ id: echo, data: "x" })).rejects.toMatchObject({
      code: "unavailable",
    });
    // What is recorded can be read as always.
    expect((await client.findRecordingEntries({ terminalId: id, limit: 1 })).entries).toHaveLength(
      1,
    );

    process.kill(keeperPid, "SIGCONT");
    await waitUntil(async () => (await client.readHost({})).keeper?.state === "ok");
    await client.sendInput({ id: echo, data: "heard\\r" });
    await client.waitFor({ id: echo, until: [{ kind: "text", text: "heard" }], after: 0 });
    writeFileSync(`${truth}.stop`, "");
    await client.waitFor({ id, until: [{ kind: "exit" }], after: 0 });
    expect((await recordedOutput(client, id)).equals(daemon.read("truth"))).toBe(true);
    const messages = daemon.log.map(({ message }) => message);
    expect(messages).toContain("the keeper does not answer");
    expect(messages).toContain("the keeper answers again");
    // The program that was refused is not there, whenever the keeper came to it.
    const { terminals } = await client.listTerminals({});
    expect(terminals.map((one) => one.id).toSorted()).toEqual([id, echo].toSorted());
  },
);

test(
  "a machine that sleeps is as if no time had passed: nothing is missing, nobody is given up",
  LONG_TEST,
  async () => {
    await using daemon = await FaultyDaemon.start();
    const { client, keeperPid, pid } = daemon;
    const truth = join(daemon.home, "truth");
    const size = (): number => statSync(truth, { throwIfNoEntry: false })?.size ?? 0;
    const id = await daemon.run(counting("truth"));
    await waitUntil(() => size() > 0);
    for (const pids of [[pid], [pid, keeperPid]]) {
      const asked = client.readScreen({ id, format: "text" });
      for (const one of pids) process.kill(one, "SIGSTOP");
      await pause(STOPPED_MS / pids.length);
      for (const one of pids) process.kill(one, "SIGCONT");
      await asked;
      const before = size();
      await waitUntil(() => size() > before);
    }
    writeFileSync(`${truth}.stop`, "");
    await client.waitFor({ id, until: [{ kind: "exit" }], after: 0 });
    expect((await recordedOutput(client, id)).equals(daemon.read("truth"))).toBe(true);
    expect(daemon.log.filter(({ level }) => level !== "info")).toEqual([]);
    expect(await client.readHost({})).toMatchObject({ keeper: { state: "ok" }, restarts: {} });
  },
);
