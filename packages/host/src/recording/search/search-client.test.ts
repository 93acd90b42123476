import { MessageChannel } from "node:worker_threads";
import type { SearchQuery, SearchResult } from "@nacre/contracts";
import { expect, test } from "vitest";
import type { WorkerHandle } from "../../base/worker.ts";
import { serveRpc } from "../../base/port-rpc.ts";
import { SearchClient } from "./search-client.ts";

const OPERATOR = { name: "operator", isFirst: true };
const AGENT = { name: "agent", isFirst: false };

const result = (text: string): SearchResult => ({ hits: [], truncated: true, nextAfter: text });

/** A part whose searches end when somebody says so; being ended is told. */
function heldSearches() {
  const begun: { text: string; end: () => void }[] = [];
  let endedParts = 0;
  const start = (): WorkerHandle => {
    const { port1, port2 } = new MessageChannel();
    serveRpc(port2, {
      ready: () => undefined,
      search: ({ text }: SearchQuery) =>
        new Promise((resolve) => begun.push({ text, end: () => resolve(result(text)) })),
    });
    const terminate = (): Promise<void> => {
      endedParts++;
      port1.close();
      return Promise.resolve();
    };
    return { port: port1, terminate };
  };
  return {
    begun,
    link: new SearchClient(start),
    endedParts: () => endedParts,
    /** Resolves when so many searches were begun. */
    reach: async (count: number): Promise<void> => {
      while (begun.length < count) await new Promise(setImmediate);
    },
  };
}

test("R-5: an operator waits for one search at most, however many an agent has sent", async () => {
  const { link, begun, reach } = heldSearches();
  await using _link = link;
  const sent = Array.from({ length: 9 }, (_, n) => link.search({ text: `agent ${n}` }, AGENT));
  await reach(1);
  const refused = link.search({ text: "one too many" }, AGENT);
  await expect(refused).rejects.toMatchObject({ code: "limit_reached" });
  const operators = link.search({ text: "operator" }, OPERATOR);
  begun[0]?.end();
  await reach(2);
  expect(begun.map(({ text }) => text)).toEqual(["agent 0", "operator"]);
  begun[1]?.end();
  expect(await operators).toEqual(result("operator"));
  for (let count = 3; count <= 10; count++) {
    await reach(count);
    begun.at(-1)?.end();
  }
  expect(await Promise.all(sent)).toHaveLength(9);
});

test("R-5: agents take turns", async () => {
  const { link, begun, reach } = heldSearches();
  await using _link = link;
  const ask = (name: string, n: number) =>
    link.search({ text: `${name}${n}` }, { name, isFirst: false });
  const sent = [ask("a", 0), ask("a", 1), ask("a", 2), ask("b", 0), ask("b", 1), ask("c", 0)];
  for (let count = 1; count <= sent.length; count++) {
    await reach(count);
    begun.at(-1)?.end();
  }
  await Promise.all(sent);
  expect(begun.map(({ text }) => text)).toEqual(["a0", "a1", "b0", "c0", "a2", "b1"]);
});

test("a search that does not end is ended with its thread, and the next one is answered", async () => {
  const { link, begun, reach, endedParts } = heldSearches();
  await using _link = link;
  await expect(link.search({ text: "stuck" }, AGENT)).rejects.toMatchObject({ code: "timeout" });
  expect(endedParts()).toBe(1);
  const next = link.search({ text: "next" }, AGENT);
  await reach(2);
  begun[1]?.end();
  expect(await next).toEqual(result("next"));
});
