import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { outputOf, untilText } from "../support/terminal-output.ts";
import { connectPath, openServer, type TestServer } from "./raw-server.ts";

let server: TestServer;
beforeAll(async () => {
  server = await openServer();
});
afterAll(() => server[Symbol.asyncDispose]());

describe("control", () => {
  test("is chosen by a protocol beside the credential, which is not repeated", async () => {
    const terminal = await server.create("cat");
    const protocols = [`nacre.bearer.${server.tokens.operator}`, "nacre.control.v1"];
    const client = server.connect(connectPath(terminal.id), { headers: {}, protocols });
    await client.until(() => client.controlsOf("snapshot").length > 0);
    expect(client.socket.protocol).toBe("nacre.control.v1");
  });

  test("answers a ping, types input, and tells of title, clearing and claim", async () => {
    const terminal = await server.create("cat");
    const client = await server.connect(connectPath(terminal.id, "?control=1")).untilOpen();
    client.say({ type: "ping" });
    await client.until(() => client.controlsOf("pong").length === 1);
    client.say({ type: "input", data: "typed\r" });
    await client.until(() => client.text.includes("typed\r\ntyped"));
    await terminal.rename("another", server.caller);
    await client.until(() => client.controlsOf("title").length === 1);
    expect(client.controlsOf("title")).toEqual([{ type: "title", title: "another" }]);
    await terminal.clear(server.caller);
    await client.until(() => client.text.endsWith("\u001b[H\u001b[2J\u001b[3J"));
  });

  test.each([
    ["no JSON", "{"],
    ["an unknown type", '{"type":"frobnicate"}'],
    ["no object", "null"],
    ["a size of nothing", '{"type":"resize","cols":0,"rows":10}'],
    ["a size that is text", '{"type":"resize","cols":"80","rows":24}'],
    ["a size beyond all screens", '{"type":"resize","cols":1e9,"rows":24}'],
    ["half a column", '{"type":"resize","cols":80.5,"rows":24}'],
    ["more than is known", '{"type":"ping","more":1}'],
  ])("says what is wrong with %s, and stays", async (_what, text) => {
    const terminal = await server.create("cat");
    const client = await server.connect(connectPath(terminal.id, "?control=1")).untilOpen();
    client.socket.send(text);
    client.say({ type: "ping" });
    await client.until(() => client.controlsOf("pong").length === 1);
    expect(client.controlsOf("error")).toMatchObject([{ code: "invalid_argument" }]);
    expect(terminal.status.size).toEqual({ cols: 80, rows: 24 });
  });
});

describe("of many sizes", () => {
  test("the last one wins, and nothing that is printed meanwhile is lost", async () => {
    const terminal = await server.create(
      "i=0; while [ $i -lt 5000 ]; do i=$((i+1)); echo $i; done; read end",
    );
    const client = await server.connect(connectPath(terminal.id, "?control=1")).untilOpen();
    for (let cols = 20; cols < 1000; cols++) client.say({ type: "resize", cols, rows: 40 });
    client.say({ type: "resize", cols: 123, rows: 45 });
    await client.until(() => client.controls.some(({ cols }) => cols === 123));
    expect(terminal.status.size).toEqual({ cols: 123, rows: 45 });
    expect(client.controlsOf("size").length).toBeLessThan(10);
    await untilText(terminal, "5000");
    const numbers = (await outputOf(terminal)).match(/\d+/g)?.map(Number);
    expect(numbers).toEqual(Array.from({ length: 5000 }, (_, index) => index + 1));
  });

  test("that of somebody who does not drive is answered with the real one", async () => {
    const terminal = await server.host.createTerminal({
      owner: { entityName: "Task", entityId: "1" },
      workingDirectory: "/tmp",
      command: "/bin/cat",
    });
    const client = await server.connect(connectPath(terminal.id, "?control=1")).untilOpen();
    client.say({ type: "resize", cols: 33, rows: 11 });
    await client.until(() => client.controlsOf("size").length > 0);
    expect(client.controlsOf("size")).toEqual([{ type: "size", cols: 80, rows: 24 }]);
  });
});

describe("who may only look", () => {
  test("sees everything, is told that it may not type, and types nothing", async () => {
    const terminal = await server.host.createTerminal({
      owner: { entityName: "Task", entityId: "1" },
      workingDirectory: "/tmp",
      command: "/bin/sh",
      args: ["-c", "echo shown; cat"],
    });
    await untilText(terminal, "shown\n");
    const path = connectPath(terminal.id, "?control=1");
    const client = server.connect(path, { scope: "readOnly" });
    await client.until(() => client.text.includes("shown"));
    client.socket.send(Buffer.from("typed\r"));
    client.say({ type: "input", data: "typed\r" });
    client.say({ type: "resize", cols: 20, rows: 20 });
    await client.until(() => client.controlsOf("error").length === 3);
    expect(client.controlsOf("error").map(({ code }) => code)).toEqual(
      Array.from({ length: 3 }, () => "forbidden"),
    );
    expect(await outputOf(terminal)).toBe("shown\r\n");
    expect(terminal.status.size).toEqual({ cols: 80, rows: 24 });
  });
});
