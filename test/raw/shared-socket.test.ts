import { LOCAL_CALLER } from "@nacre/host";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { outputOf } from "../support/terminal-output.ts";
import { type Client, openServer, type TestServer } from "./raw-server.ts";

const PATH = "/api/terminal/ws";

let server: TestServer;
beforeAll(async () => {
  server = await openServer();
});
afterAll(() => server[Symbol.asyncDispose]());

/** What was told of one session, as text. */
const dataOf = ({ controls }: Client, id: string): string =>
  controls
    .filter(({ type, sessionId }) => type === "terminal:data" && sessionId === id)
    .map(({ data }) => String(data))
    .join("");

describe("a socket of several sessions", () => {
  test("tells of each by its name, and goes on when one of them ends", async () => {
    const [one, two] = [await server.create("cat"), await server.create("read x; exit 5")];
    const client = await server.connect(PATH).untilOpen();
    client.say({ type: "attach", sessionId: one.id });
    client.say({ type: "attach", sessionId: two.id });
    await client.until(() => client.controlsOf("terminal:connected").length === 2);
    client.say({ type: "input", sessionId: two.id, data: "\r" });
    await client.until(() => client.controlsOf("terminal:exit").length === 1);
    expect(client.controlsOf("terminal:exit")).toEqual([
      { type: "terminal:exit", sessionId: two.id, exitCode: 5 },
    ]);
    client.say({ type: "input", sessionId: one.id, data: "still\r" });
    await client.until(() => dataOf(client, one.id).includes("still\r\nstill"));
    client.say({ type: "detach", sessionId: one.id });
    client.say({ type: "input", sessionId: one.id, data: "gone\r" });
    await client.until(() => client.controlsOf("error").length === 1);
    expect(client.controlsOf("error")).toMatchObject([{ code: "terminal_not_found" }]);
    expect(await outputOf(one)).not.toContain("gone");
    expect(client.close).toBeUndefined();
  });

  test("shares its way out: a quiet session is heard beside one that floods", async () => {
    const [loud, quiet] = [await server.create("read go; yes"), await server.create("cat")];
    const client = await server.connect(PATH).untilOpen();
    client.say({ type: "attach", sessionId: loud.id });
    client.say({ type: "attach", sessionId: quiet.id });
    await client.until(() => client.controlsOf("terminal:connected").length === 2);
    client.say({ type: "input", sessionId: loud.id, data: "\r" });
    await client.until(() => dataOf(client, loud.id).length > 100_000);
    client.say({ type: "input", sessionId: quiet.id, data: "hear me\r" });
    await client.until(() => dataOf(client, quiet.id).includes("hear me\r\nhear me"));
    client.say({ type: "input", sessionId: loud.id, data: "\u0003" });
    await client.until(() => client.controlsOf("terminal:exit").length === 1);
    expect(client.controlsOf("terminal:exit")).toMatchObject([{ sessionId: loud.id }]);
  });

  test("goes on beside a session whose program reads nothing", async () => {
    const [stuck, other] = [
      await server.create("read go; stty raw -echo; echo up; sleep 1000"),
      await server.create("cat"),
    ];
    const client = await server.connect(PATH).untilOpen();
    client.say({ type: "attach", sessionId: stuck.id });
    client.say({ type: "attach", sessionId: other.id });
    await client.until(() => client.controlsOf("terminal:connected").length === 2);
    client.say({ type: "input", sessionId: stuck.id, data: "\r" });
    await client.until(() => dataOf(client, stuck.id).includes("up"));
    // More than the kernel and the queue of the terminal take.
    const piece = "x".repeat(600 * 1024);
    client.say({ type: "input", sessionId: stuck.id, data: piece });
    client.say({ type: "input", sessionId: stuck.id, data: piece.slice(0, 400 * 1024) });
    client.say({ type: "input", sessionId: stuck.id, data: piece.slice(0, 100 * 1024) });
    client.say({ type: "input", sessionId: other.id, data: "hear me\r" });
    await client.until(() => dataOf(client, other.id).includes("hear me\r\nhear me"));
    expect(client.controlsOf("error")).toEqual([]);
    await stuck.kill(LOCAL_CALLER, 0);
  });

  test("takes what is said to a session that is just being attached, in its order", async () => {
    const terminal = await server.create("read -r line; stty size; exit 6");
    const client = await server.connect(PATH).untilOpen();
    const { id: sessionId } = terminal;
    client.say({ type: "attach", sessionId });
    client.say({ type: "resize", sessionId, cols: 66, rows: 11 });
    client.say({ type: "input", sessionId, data: "\r" });
    await client.until(() => client.controlsOf("terminal:exit").length === 1);
    expect(client.controlsOf("error")).toEqual([]);
    expect(await outputOf(terminal)).toContain("11 66");
    const other = await server.create("cat");
    client.say({ type: "attach", sessionId: other.id });
    client.say({ type: "detach", sessionId: other.id });
    client.say({ type: "input", sessionId: other.id, data: "late\r" });
    await client.until(() => client.controlsOf("error").length === 1);
    expect(other.status.viewers).toBe(0);
  });

  test("tells that a session is attached, also who has not read what others said", async () => {
    const floods = await Promise.all(
      Array.from({ length: 6 }, () => server.create("read -r go; seq 1 3000000; cat")),
    );
    const calm = await server.create("echo calm; cat");
    const client = await server.connect(PATH).untilOpen();
    for (const { id } of floods) client.say({ type: "attach", sessionId: id });
    await client.until(() => client.controlsOf("terminal:connected").length === floods.length);
    client.socket.pause();
    for (const { id } of floods) client.say({ type: "input", sessionId: id, data: "\r" });
    const isFull = (): boolean => server.upgrades.state.bufferedBytes > 600_000;
    await expect.poll(isFull, { timeout: 10_000 }).toBe(true);
    client.say({ type: "attach", sessionId: calm.id });
    await expect.poll(() => calm.status.viewers).toBe(1);
    client.socket.resume();
    const typesOfCalm = (): unknown[] =>
      client.controls.filter(({ sessionId }) => sessionId === calm.id).map(({ type }) => type);
    await client.until(() => typesOfCalm().includes("terminal:scrollback"));
    expect(typesOfCalm()).toEqual(["terminal:connected", "terminal:scrollback"]);
    await Promise.all(floods.map(({ id }) => server.host.registry.dispose(id)));
  });

  test("refuses what is no session, what is attached, and messages without a name", async () => {
    const terminal = await server.create("cat");
    const client = await server.connect(PATH).untilOpen();
    client.say({ type: "attach", sessionId: "terminal:nobody" });
    await client.until(() => client.controlsOf("error").length === 1);
    client.say({ type: "attach", sessionId: "x" });
    await client.until(() => client.controlsOf("error").length === 2);
    client.say({ type: "attach", sessionId: terminal.id });
    client.say({ type: "attach", sessionId: terminal.id });
    await client.until(() => client.controlsOf("error").length === 3);
    client.say({ type: "attach" });
    await client.until(() => client.controlsOf("error").length === 4);
    expect(client.controlsOf("error").map(({ code }) => code)).toEqual([
      "terminal_not_found",
      "invalid_argument",
      "already_exists",
      undefined,
    ]);
  });

  test("that nothing is attached to is closed", async () => {
    const password = { isLoggedIn: () => true };
    const service = { enabled: true, password, platform: {}, attachMs: 20 };
    await using impatient = await openServer({ service });
    expect(await impatient.connect(PATH).untilClosed()).toMatchObject({ code: 4002 });
  });
});
