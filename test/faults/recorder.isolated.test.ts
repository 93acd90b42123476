import { statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { waitUntil } from "../support/wait-until.ts";
import { FaultyDaemon } from "./faulty-daemon.ts";
import { counting, LONG_TEST, recordedOutput } from "./recorded.ts";

test(
  "a recorder that ends is replaced while programs write: not a byte is missing or there twice",
  LONG_TEST,
  async () => {
    await using daemon = await FaultyDaemon.start();
    const { client } = daemon;
    const truth = join(daemon.home, "truth");
    const size = (): number => statSync(truth, { throwIfNoEntry: false })?.size ?? 0;
    const id = await daemon.run(counting("truth"));
    const recoveries = (): number =>
      daemon.log.filter(({ message }) => message === "recordings can be written").length;
    for (const [index, fault] of ["end", "crash", "end"].entries()) {
      const before = size();
      await waitUntil(() => size() > before + 300);
      expect(await daemon.order(fault, "recorder.worker")).toBe(1);
      await waitUntil(() => recoveries() > index);
    }
    writeFileSync(`${truth}.stop`, "");
    await client.waitFor({ id, until: [{ kind: "exit" }], after: 0 });
    expect((await recordedOutput(client, id)).equals(daemon.read("truth"))).toBe(true);
    expect(await client.readTerminal({ id })).toMatchObject({ state: "exited", exitCode: 9 });
    const told = daemon.log.filter(({ message }) => message.startsWith("recordings c"));
    expect(told[0]).toMatchObject({ level: "warn", state: "degraded" });
    expect(told[0]?.["reason"]).toContain("the recorder ended");
    expect(told.at(-1)).toMatchObject({ message: "recordings can be written" });
    expect(await daemon.metric("nacre_recorder_ok")).toBe(1);
  },
);
