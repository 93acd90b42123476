import { statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { waitUntil } from "../support/wait-until.ts";
import { FaultyDaemon } from "./faulty-daemon.ts";
import { counting, LONG_TEST, recordedOutput } from "./recorded.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const YEAR_MS = 365 * DAY_MS;

/** From the right time, in this order: a day and a year ahead and back, then back by a second again and again. */
const JUMPS_MS = [DAY_MS, -DAY_MS, YEAR_MS, -YEAR_MS, -1000, -2000, -3000, -4000, -5000];

test(
  "a clock that jumps changes neither order nor what lasts, and everything can be read",
  LONG_TEST,
  async () => {
    const env = {
      NACRE_REAP_IDLE_AFTER_MS: String(DAY_MS / 2),
      NACRE_RETENTION_MAX_AGE_MS: String(DAY_MS),
    };
    await using daemon = await FaultyDaemon.start({ env });
    const { client } = daemon;
    const truth = join(daemon.home, "truth");
    const size = (): number => statSync(truth, { throwIfNoEntry: false })?.size ?? 0;
    const id = await daemon.run(counting("truth"));
    const quiet = await daemon.run("exec cat");
    const { claim } = await client.readTerminal({ id: quiet });
    for (const ms of JUMPS_MS) {
      await daemon.order("shiftClock", ms);
      const before = size();
      await waitUntil(() => size() > before);
      // A wait of a moment is one, whatever the clock says.
      const waited = client.waitFor({
        id: quiet,
        until: [{ kind: "exit" }],
        after: 0,
        timeoutMs: 50,
      });
      expect(await waited).toMatchObject({ outcome: "timeout" });
      expect((await client.readScreen({ id, format: "text" })).text).toContain("line");
      const { points } = await client.readTimeline({ id, points: 3 });
      expect(points.at(-1)?.sequence).toBeGreaterThan(0);
    }
    // Nobody was taken for idle, and nobody's claim lapsed.
    const { terminals } = await client.listTerminals({});
    expect(terminals.map((one) => one.id)).toEqual([id, quiet]);
    expect((await client.readTerminal({ id: quiet })).claim).toEqual(claim);
    writeFileSync(`${truth}.stop`, "");
    await client.waitFor({ id, until: [{ kind: "exit" }], after: 0 });
    expect((await recordedOutput(client, id)).equals(daemon.read("truth"))).toBe(true);
    const { entries } = await client.findRecordingEntries({ terminalId: id, limit: 1000 });
    const elapsed = entries.map(({ elapsedMs }) => elapsedMs);
    expect(elapsed).toEqual(elapsed.toSorted((one, other) => one - other));
    // The clock on the wall is only what people are shown.
    const times = entries.map(({ occurredAt }) => Date.parse(occurredAt));
    expect(Math.max(...times) - Math.min(...times)).toBeGreaterThan(YEAR_MS);
    expect(elapsed.at(-1)).toBeLessThan(LONG_TEST.timeout);
    const cast = await new Response(
      (await client.exportRecording({ id, format: "asciicast3" })).bytes,
    ).text();
    expect(cast.split("\n").length).toBeGreaterThan(JUMPS_MS.length);
    expect(daemon.log.filter(({ level }) => level !== "info")).toEqual([]);
  },
);
