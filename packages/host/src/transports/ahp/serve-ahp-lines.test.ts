import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { CallerId } from "@nacre/contracts";
import { afterEach, beforeEach, expect, test } from "vitest";
import { FakeHost } from "./channels/testing/fake-host.ts";
import { serveAhpLines } from "./serve-ahp-lines.ts";
import { MAX_MESSAGE_BYTES } from "./connection/connection-limits.ts";

let directory: string;
let stack: AsyncDisposableStack;

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), "nacre-lines-"));
  stack = new AsyncDisposableStack();
  stack.defer(() => rmSync(directory, { recursive: true }));
  const { agentHost } = stack.use(new FakeHost());
  const operations = { clientBack: () => undefined, clientGone: () => undefined };
  const parts = {
    agentHost,
    operations,
    admission: { caller: { id: CallerId.parse("olga"), scope: "operator" }, peer: "test" },
    handleProblem: (error: unknown) => {
      throw error;
    },
  } as unknown as Parameters<typeof serveAhpLines>[1];
  const server = createServer({ pauseOnConnect: true, allowHalfOpen: true }, (socket) =>
    serveAhpLines(socket, parts),
  );
  stack.defer(() => void server.close());
  server.listen(join(directory, "s"));
  await once(server, "listening");
});

afterEach(() => stack.disposeAsync());

/** Says everything and hangs up; resolves with the lines that came back. */
async function say(...chunks: readonly string[]): Promise<unknown[]> {
  const socket: Socket = connect({ path: join(directory, "s"), allowHalfOpen: true });
  for (const chunk of chunks) socket.write(chunk);
  socket.end();
  const lines = (await text(socket)).trimEnd().split("\n");
  return lines.map((line) => JSON.parse(line) as unknown);
}

const line = (id: number, method: string, params: object = {}): string =>
  `${JSON.stringify({ jsonrpc: "2.0", id, method, params: { channel: "ahp-root://", ...params } })}\n`;

test("lines are answered in lines, also when the client hangs up at once", async () => {
  const begun = line(2, "initialize", { protocolVersions: ["1.0.0"], clientId: "lines" });
  const answers = await say(line(1, "ping"), begun.slice(0, 30), begun.slice(30), line(3, "ping"));
  expect(answers).toMatchObject([
    { id: 1, result: null },
    { id: 2, result: { protocolVersion: "1.0.0" } },
    { id: 3, result: null },
  ]);
});

test("a line that is too long is refused, and the next one is taken", async () => {
  const answers = await say(`${"x".repeat(MAX_MESSAGE_BYTES + 1)}\n`, line(1, "ping"));
  expect(answers).toMatchObject([
    { id: null, error: { code: -32600 } },
    { id: 1, result: null },
  ]);
});
