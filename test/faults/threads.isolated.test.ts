import { type ErrorCode, NacreError } from "@nacre/contracts";
import { expect, test } from "vitest";
import { waitUntil } from "../support/wait-until.ts";
import { FaultyDaemon } from "./faulty-daemon.ts";
import { LONG_TEST } from "./recorded.ts";

/** What became of a request: its answer, or the code of its failure. */
const outcome = async (request: Promise<unknown>): Promise<"answered" | ErrorCode> =>
  request.then(
    () => "answered" as const,
    (error: unknown) => {
      if (error instanceof NacreError) return error.code;
      throw error;
    },
  );

test(
  "threads that read, index, search and draw are replaced; who waited is told, who asks next is answered",
  LONG_TEST,
  async () => {
    await using daemon = await FaultyDaemon.start();
    const { client } = daemon;
    const id = await daemon.run("echo first needle; read line; echo second needle; read line");
    const isFound = async (text: string): Promise<boolean> =>
      (await client.searchRecordings({ text }).catch(() => undefined))?.hits.some(
        ({ line }) => line === text,
      ) ?? false;
    const read = () => client.findRecordingEntries({ terminalId: id, limit: 100 });
    await client.waitFor({ id, until: [{ kind: "text", text: "first needle" }], after: 0 });
    await waitUntil(() => isFound("first needle"));
    expect((await client.readScreen({ id, format: "text" })).text).toContain("first needle");

    const asked = Array.from({ length: 50 }, () => outcome(read()));
    expect(await daemon.order("end", "reader.worker")).toBe(1);
    asked.push(...Array.from({ length: 50 }, () => outcome(read())));
    const outcomes = new Set(await Promise.all(asked));
    expect([...outcomes].filter((one) => one !== "answered" && one !== "unavailable")).toEqual([]);
    await waitUntil(async () => (await outcome(read())) === "answered");

    for (const name of ["indexer.worker", "search.worker", "screen.worker"]) {
      expect(await daemon.order("end", name)).toBeGreaterThan(0);
    }
    await client.sendInput({ id, data: "\r" });
    await client.waitFor({ id, until: [{ kind: "text", text: "second needle" }], after: 0 });
    await waitUntil(() => isFound("second needle"));
    expect((await client.readScreen({ id, format: "text" })).text).toContain("second needle");

    expect(await client.readHost({})).toMatchObject({
      storage: { state: "ok" },
      keeper: { state: "ok" },
      restarts: { reader: 1, indexer: 1, searcher: 1, screen: 1 },
    });
    const told = daemon.log.filter(({ message }) => message === "a part ended and is started anew");
    expect(new Set(told.map(({ part }) => part))).toEqual(
      new Set(["indexer", "reader", "screen", "searcher"]),
    );
    expect(await daemon.metric('nacre_part_restarts_total{part="screen"}')).toBe(1);
  },
);
