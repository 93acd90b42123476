import { createHash } from "node:crypto";
import { once } from "node:events";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { outputOf, untilText } from "../support/terminal-output.ts";
import { type Client, connectPath, openServer, type TestServer } from "./raw-server.ts";

let server: TestServer;
beforeAll(async () => {
  server = await openServer();
});
afterAll(() => server[Symbol.asyncDispose]());

/** Numbered lines, so that what is missing or comes twice is seen; some of them for each line that is typed. */
const COUNTING =
  "i=0; while [ $i -lt 30000 ]; do i=$((i+1)); [ $((i % 6000)) = 1 ] && read go; echo line $i; done";

describe("a socket of a terminal", () => {
  test("shows what there is and what comes, and types bytes, all in binary frames", async () => {
    const terminal = await server.create("echo before; cat");
    await untilText(terminal, "before");
    const client = server.connect(connectPath(terminal.id));
    await client.until(() => client.text.includes("before"));
    client.socket.send(Buffer.from("bytes\r"));
    await client.until(() => client.text.includes("bytes\r\nbytes"));
    client.socket.send("text\r");
    await client.until(() => client.text.includes("text\r\ntext"));
    expect(client.controls).toEqual([]);
    expect(server.problems).toEqual([]);
  });

  test("hands every byte to the program as it is", async () => {
    const terminal = await server.create(
      "stty raw -echo; echo ready; head -c 256 | od -An -v -tx1",
    );
    await untilText(terminal, "ready");
    const client = await server.connect(connectPath(terminal.id, "?cursor=-1")).untilOpen();
    client.socket.send(Uint8Array.from({ length: 256 }, (_, byte) => byte));
    await client.untilClosed();
    const seen = client.text.match(/[0-9a-f]{2}/g)?.map((hex) => Number.parseInt(hex, 16));
    expect(seen).toEqual(Array.from({ length: 256 }, (_, byte) => byte));
  });

  test("of a long paste nothing is missing in the middle, however late the program reads", async () => {
    const terminal = await server.create(
      "stty raw -echo; echo ready; head -c 3000000 | sha256sum; cat >/dev/null",
    );
    await untilText(terminal, "ready");
    await terminal.signal("SIGSTOP", server.caller);
    const client = await server.connect(connectPath(terminal.id)).untilOpen();
    const paste = Buffer.from("0123456789abcdefghij".repeat(150_000));
    for (let at = 0; at < paste.byteLength; at += 65_536) {
      client.socket.send(paste.subarray(at, at + 65_536));
    }
    // The host keeps as much as it may, the rest waits in the network: nothing moves any more.
    let before = -1;
    const isStill = (): boolean => {
      const isSame = client.socket.bufferedAmount === before;
      before = client.socket.bufferedAmount;
      return isSame;
    };
    await expect.poll(isStill, { interval: 200, timeout: 10_000 }).toBe(true);
    await terminal.signal("SIGCONT", server.caller);
    const hash = createHash("sha256").update(paste).digest("hex");
    expect(await untilText(terminal, hash)).toBeGreaterThan(0);
  });

  test("shows everything before the end, however fast that comes", async () => {
    const terminal = await server.create("read go; head -c 400000 /dev/zero | tr '\\0' x; exit 3");
    const client = server.connect(connectPath(terminal.id, "?control=1&cursor=0"));
    await client.untilOpen();
    client.socket.send(Buffer.from("\r"));
    expect(await client.untilClosed()).toEqual({ code: 1000, reason: "terminal ended" });
    expect(client.text.replaceAll(/[^x]/g, "")).toHaveLength(400_000);
    expect(client.messages.at(-1)).toEqual({ json: { type: "exit", exitCode: 3 } });
    expect(client.text).toBe(await outputOf(terminal));
  });

  test("tells of a terminal that has ended: its screen and how it ended", async () => {
    const terminal = await server.create("echo the end; kill -9 $$");
    await terminal.ended;
    const client = server.connect(connectPath(terminal.id, "?control=1"));
    expect(await client.untilClosed()).toMatchObject({ code: 1000 });
    expect(client.text).toContain("the end");
    expect(client.controls.at(-1)).toEqual({ type: "exit", exitCode: null, signal: "SIGKILL" });
  });

  test.each([
    ["an id that nobody has", "/api/terminals/terminal:nobody/connect", 4004],
    ["what is no id", "/api/terminals/x/connect", 4004],
  ])("is closed for %s", async (_what, path, code) => {
    const client = server.connect(path);
    expect(await client.untilClosed()).toMatchObject({ code });
  });

  test("is closed for a cursor that is none", async () => {
    const terminal = await server.create("cat");
    const client = server.connect(connectPath(terminal.id, "?cursor=-2"));
    expect(await client.untilClosed()).toMatchObject({ code: 4000 });
  });

  test("is not opened at another path", async () => {
    const client = server.connect("/api/terminals");
    await client.until(() => client.status !== undefined);
    expect(client.status).toBe(404);
  });

  test("is told when the host stops", async () => {
    await using server = await openServer();
    const terminal = await server.create("cat");
    const client = await server.connect(connectPath(terminal.id)).untilOpen();
    server.upgrades[Symbol.dispose]();
    expect(await client.untilClosed()).toMatchObject({ code: 1001 });
  });

  test("is gone when its client is, and a client that answers no heartbeat is gone as well", async () => {
    await using server = await openServer({ heartbeatMs: 20 });
    const terminal = await server.create("cat");
    const path = connectPath(terminal.id);
    const dead = await server.connect(path, { autoPong: false }).untilOpen();
    const alive = await server.connect(path).untilOpen();
    expect(await dead.untilClosed()).toMatchObject({ code: 1006 });
    expect(alive.close).toBeUndefined();
    const closed = once(alive.socket, "close");
    alive.socket.close();
    await closed;
    expect(server.upgrades.state).toEqual({ sockets: 0, bufferedBytes: 0 });
    expect(terminal.status.viewers).toBe(0);
  });
});

describe("who resumes", () => {
  /** What came up to the last cursor, and that cursor. */
  function known({ messages }: Client): { readonly bytes: Buffer; readonly sequence: number } {
    const at = messages.findLastIndex((one) => "json" in one && one.json["type"] === "cursor");
    const last = messages[at];
    const bytes = messages.slice(0, at).flatMap((one) => ("bytes" in one ? one.bytes : []));
    return {
      bytes: Buffer.concat(bytes),
      sequence: last && "json" in last ? Number(last.json["sequence"]) : 0,
    };
  }

  test("after a cursor gets every byte once, however often the connection is lost", async () => {
    const terminal = await server.create(COUNTING);
    const parts: Buffer[] = [];
    let sequence = 0;
    let client = server.connect(connectPath(terminal.id, "?control=1&cursor=0"));
    for (let turn = 0; turn < 4; turn++) {
      const lost = await client.untilOpen();
      lost.socket.send(Buffer.from("\r"));
      await lost.until(() => lost.text.includes("line") && known(lost).sequence > 0);
      lost.socket.terminate();
      await lost.untilClosed();
      const part = known(lost);
      parts.push(part.bytes);
      sequence = Math.max(sequence, part.sequence);
      client = server.connect(connectPath(terminal.id, `?control=1&cursor=${sequence}`));
    }
    await client.untilOpen();
    client.socket.send(Buffer.from("\r"));
    await client.untilClosed();
    parts.push(client.bytes);
    const stitched = Buffer.concat(parts).toString();
    expect(stitched).toBe(await outputOf(terminal));
    expect(stitched).toContain("line 30000\r\n");
    expect(client.controlsOf("snapshot")).toEqual([]);
  });

  test("at the tail gets only what is new", async () => {
    const terminal = await server.create("echo old; cat");
    await untilText(terminal, "old");
    const client = await server.connect(connectPath(terminal.id, "?cursor=-1")).untilOpen();
    client.socket.send(Buffer.from("new\r"));
    await client.until(() => client.text.includes("new\r\nnew"));
    expect(client.text.startsWith("new")).toBe(true);
  });

  test("after more than there is starts with a snapshot", async () => {
    const terminal = await server.create("echo shown; cat");
    await untilText(terminal, "shown");
    const client = server.connect(connectPath(terminal.id, "?control=1&cursor=999999"));
    await client.until(() => client.text.includes("shown"));
    expect(client.controls[0]).toMatchObject({ type: "snapshot", size: { cols: 80, rows: 24 } });
    const [{ bytes }] = client.controlsOf("snapshot") as [{ bytes: number }];
    await client.until(() => client.controlsOf("cursor").length > 0);
    expect(client.bytes).toHaveLength(bytes);
  });
});

test("an upgrade without a credential is refused before anything is opened", async () => {
  const terminal = await server.create("cat");
  const socket = new WebSocket(`ws://127.0.0.1:${server.port}${connectPath(terminal.id)}`);
  const [error] = (await once(socket, "error")) as [Error];
  expect(error.message).toContain("401");
  expect(terminal.status.viewers).toBe(0);
});
