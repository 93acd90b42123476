import { expect, test } from "vitest";
import { RestartingWorker, serveRpc } from "./port-rpc.ts";
import { startInline } from "./worker.ts";

const calls = { double: (value: number): number => 2 * value };

test("a worker is started when it is needed, and never once closed", async () => {
  let starts = 0;
  const start = () => {
    starts++;
    return startInline((port) => serveRpc(port, calls));
  };
  const used = new RestartingWorker<typeof calls>(start);
  const unused = new RestartingWorker<typeof calls>(start);
  expect(starts).toBe(0);
  expect(await used.current.call("double", 4)).toBe(8);
  await Promise.all([used[Symbol.asyncDispose](), unused[Symbol.asyncDispose]()]);
  await expect(used.current.call("double", 4)).rejects.toMatchObject({ code: "unavailable" });
  await expect(unused.current.call("double", 4)).rejects.toMatchObject({ code: "unavailable" });
  expect(starts).toBe(1);
});
