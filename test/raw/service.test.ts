import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { TerminalPassword } from "../../packages/host/src/transports/terminal-service/terminal-password.ts";
import { draw, linesOf, newEmulator } from "../support/headless-emulator.ts";
import { outputOf, untilText } from "../support/terminal-output.ts";
import { type Client, openServer, type TestServer } from "./raw-server.ts";

let server: TestServer;
beforeAll(async () => {
  server = await openServer();
});
afterAll(() => server[Symbol.asyncDispose]());

const sessionPath = (id: string, more = ""): string =>
  `/api/terminal/ws?sessionId=${encodeURIComponent(id)}${more}`;

const typesOf = ({ controls }: Client): unknown[] => controls.map(({ type }) => type);

describe("the socket of a session", () => {
  test("tells connected, scrollback, data and exit, in this order", async () => {
    const terminal = await server.create("echo earlier; read line; echo later; exit 7");
    await untilText(terminal, "earlier");
    const client = server.connect(sessionPath(terminal.id));
    await client.until(() => client.controlsOf("scrollback").length === 1);
    client.say({ type: "input", data: "x\r" });
    expect(await client.untilClosed()).toEqual({ code: 1000, reason: "Session ended" });
    const types = typesOf(client).filter((type, at, all) => type !== all[at - 1]);
    expect(types).toEqual(["connected", "scrollback", "data", "exit"]);
    expect(client.controls[0]).toMatchObject({ sessionId: terminal.id, cwd: "/tmp" });
    expect(client.dataOf("scrollback")).toContain("earlier");
    expect(client.dataOf("data")).toContain("later");
    expect(client.controls.at(-1)).toEqual({ type: "exit", exitCode: 7 });
  });

  test("has no scrollback where there is nothing to show", async () => {
    const terminal = await server.create("cat");
    const client = server.connect(sessionPath(terminal.id));
    await client.until(() => client.controlsOf("connected").length === 1);
    client.say({ type: "input", data: "x\r" });
    await client.until(() => client.dataOf("data").includes("x\r\nx"));
    expect(client.controlsOf("scrollback")).toEqual([]);
  });

  test("tells everything before the end", async () => {
    const terminal = await server.create("read go; head -c 400000 /dev/zero | tr '\\0' x");
    const client = server.connect(sessionPath(terminal.id));
    await client.until(() => client.controlsOf("connected").length === 1);
    client.say({ type: "input", data: "\r" });
    await client.untilClosed();
    expect(client.dataOf("scrollback", "data").replaceAll(/[^x]/g, "")).toHaveLength(400_000);
    expect(client.controls.at(-1)).toEqual({ type: "exit", exitCode: 0 });
  });

  test.each([
    ["", 4002],
    ["terminal:nobody", 4004],
    ["x", 4004],
  ])("of %j is closed with %i", async (id, code) => {
    expect(await server.connect(sessionPath(id)).untilClosed()).toMatchObject({ code });
  });

  test("of a session that ended is closed, because the service knows it no more", async () => {
    const terminal = await server.create("true");
    await terminal.ended;
    const client = server.connect(sessionPath(terminal.id));
    expect(await client.untilClosed()).toMatchObject({ code: 4004 });
  });

  test("answers a ping, says what is wrong with a message, and stays", async () => {
    const terminal = await server.create("cat");
    const client = await server.connect(sessionPath(terminal.id)).untilOpen();
    client.socket.send("{");
    client.say({ type: "frobnicate" });
    client.say({ type: "input", data: 7 });
    client.say({ type: "input", data: "x".repeat(1_048_577) });
    client.say({ type: "resize", cols: 0, rows: 10 });
    client.say({ type: "resize", cols: 80, rows: 501 });
    client.say({ type: "ping" });
    await client.until(() => client.controlsOf("pong").length === 1);
    expect(client.controlsOf("error").map(({ message }) => message)).toEqual([
      "Invalid message",
      "Invalid message",
      "Invalid input type",
      "Input too large",
      // S-L4: as every other wire tells it.
      "Invalid size: cols 1 to 1000, rows 1 to 500",
      "Invalid size: cols 1 to 1000, rows 1 to 500",
    ]);
    expect(terminal.status.size).toEqual({ cols: 80, rows: 24 });
    expect(await outputOf(terminal)).toBe("");
  });

  test("applies the last of many sizes", async () => {
    const terminal = await server.create(
      "trap 'stty size' WINCH; echo ready; while :; do read line; done",
    );
    await untilText(terminal, "ready");
    const client = await server.connect(sessionPath(terminal.id)).untilOpen();
    for (let cols = 20; cols <= 120; cols++) client.say({ type: "resize", cols, rows: 30 });
    await client.until(() => client.dataOf("data").includes("30 120"));
    expect(terminal.status.size).toEqual({ cols: 120, rows: 30 });
  });

  test("says so when somebody may not type", async () => {
    const terminal = await server.create("cat");
    const client = await server
      .connect(sessionPath(terminal.id), { scope: "readOnly" })
      .untilOpen();
    client.say({ type: "input", data: "x\r" });
    await client.until(() => client.controlsOf("error").length === 1);
    expect(client.controlsOf("error")).toMatchObject([{ code: "forbidden" }]);
    expect(await outputOf(terminal)).toBe("");
  });
});

describe("who comes back during a flood", () => {
  test("gets scrollback and then only what is new: no line is missing and none comes twice", async () => {
    const terminal = await server.create(
      "i=0; while [ $i -lt 6000 ]; do i=$((i+1)); [ $((i % 2000)) = 1 ] && read go; echo line $i; done; read end",
    );
    for (let turn = 0; turn < 2; turn++) {
      const lost = await server.connect(sessionPath(terminal.id)).untilOpen();
      lost.say({ type: "input", data: "\r" });
      await lost.until(() => lost.dataOf("data").includes("line"));
      lost.socket.terminate();
    }
    const client = await server.connect(sessionPath(terminal.id)).untilOpen();
    client.say({ type: "input", data: "\r" });
    await client.until(() => client.dataOf("scrollback", "data").includes("line 6000"));
    const numbers = (await shown(client)).map((line) => Number(line.slice("line ".length)));
    expect(numbers.length).toBeGreaterThan(500);
    const first = numbers[0] ?? 0;
    expect(numbers).toEqual(numbers.map((_, index) => first + index));
    expect(numbers.at(-1)).toBe(6000);
  });

  /** The numbered lines that an emulator shows which is given what the client got. */
  async function shown({ controls }: Client): Promise<string[]> {
    const emulator = newEmulator();
    for (const { type, data } of controls) {
      if (type === "scrollback") emulator.reset();
      if (type === "scrollback" || type === "data") await draw(emulator, String(data));
    }
    const lines = linesOf(emulator).filter((line) => line.startsWith("line "));
    emulator.dispose();
    return lines;
  }
});

describe("the service", () => {
  test("that is switched off closes every socket", async () => {
    const off = { enabled: false, password: new TerminalPassword({}), platform: {} };
    await using closed = await openServer({ service: off });
    expect(await closed.connect("/api/terminal/ws").untilClosed()).toMatchObject({ code: 4003 });
  });

  test("with a password closes the socket of who has not given it", async () => {
    const password = new TerminalPassword({ password: "open sesame" });
    const { token } = password.login("open sesame", "test");
    const platform = { defaultShell: "/bin/sh" };
    await using locked = await openServer({ service: { enabled: true, password, platform } });
    const terminal = await locked.create("cat");
    const without = locked.connect(sessionPath(terminal.id));
    expect(await without.untilClosed()).toMatchObject({ code: 4001 });
    const wrong = locked.connect(sessionPath(terminal.id, `&token=${token}x`));
    expect(await wrong.untilClosed()).toMatchObject({ code: 4001 });
    const right = locked.connect(sessionPath(terminal.id, `&token=${token}`));
    await right.until(() => right.controlsOf("connected").length === 1);
    expect(right.controls[0]).toMatchObject({ shell: "/bin/sh" });
  });
});
