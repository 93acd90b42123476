import { OPERATIONS, TerminalId } from "@nacre/contracts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { HttpRig } from "./http-rig.ts";

let rig: HttpRig;

beforeAll(async () => {
  rig = await HttpRig.open();
});

afterAll(async () => {
  await rig[Symbol.asyncDispose]();
});

const listed = async (token?: string): Promise<string[]> => {
  const { body } = await rig.ask("GET", "/api/terminals?limit=1000", { token });
  const { terminals } = OPERATIONS.listTerminals.output.parse(body);
  return terminals.map(({ id }) => id);
};

test("a terminal is created, driven, read and ended by requests alone", async () => {
  const created = await rig.ask("POST", "/api/terminals", {
    body: {
      workingDirectory: "/tmp",
      command: "/bin/cat",
      name: "cat",
      size: { cols: 60, rows: 10 },
    },
  });
  expect(created.status).toBe(201);
  const { id } = OPERATIONS.createTerminal.output.parse(created.body);
  const at = `/api/terminals/${encodeURIComponent(id)}`;
  expect(await listed()).toContain(id);

  const sent = await rig.ask("POST", `${at}/input`, { body: { data: "hello\r" } });
  expect(sent.status).toBe(200);
  const waited = await rig.ask("POST", `${at}/wait`, {
    body: { until: [{ kind: "text", text: "hello" }], after: 0 },
  });
  expect(waited.body).toMatchObject({ outcome: "text" });
  const size = await rig.ask("POST", `${at}/resize`, { body: { cols: 100, rows: 30 } });
  expect([size.status, size.body]).toEqual([200, { cols: 100, rows: 30 }]);
  const renamed = await rig.ask("PATCH", at, { body: { title: "my cat" } });
  expect(renamed.body).toMatchObject({ id, title: "my cat" });

  const output = await rig.ask("GET", `${at}/output?position.after=0&maxBytes=4096`);
  expect(OPERATIONS.readOutput.output.parse(output.body).data).toContain("hello");
  const screen = await rig.ask("GET", `${at}/screen?format=text`);
  expect(JSON.stringify(screen.body)).toContain("hello");
  const inputs = await rig.ask("GET", `${at}/recording?types=input&types=resize&limit=10`);
  const page = OPERATIONS.findRecordingEntries.output.parse(inputs.body);
  expect(page.entries.map(({ type }) => type)).toEqual(["input", "resize"]);

  const ended = await rig.ask("DELETE", at);
  expect([ended.status, ended.body]).toEqual([200, { id }]);
  expect(await listed()).not.toContain(id);
  expect((await rig.ask("GET", at)).body).toMatchObject({ id, dead: true });
});

test("a command is run to its end, with its exit code", async () => {
  const { body } = await rig.ask("POST", "/api/exec", {
    body: { commandLine: "echo out; exit 3", workingDirectory: "/tmp" },
  });
  expect(body).toMatchObject({ exitCode: 3 });
  expect(JSON.stringify(body)).toContain("out");
});

describe("a bad request", () => {
  test.each([
    ["POST", "/api/terminals", { size: { cols: 0, rows: 24 } }, "size.cols"],
    ["POST", "/api/terminals", { colour: "red" }, "colour"],
    ["POST", "/api/terminals", { args: [1] }, "args.0"],
    ["POST", "/api/terminals", { workingDirectory: "tmp" }, "workingDirectory"],
    ["PUT", "/api/limits", { maxTerminals: "5" }, "maxTerminals"],
    ["POST", "/api/exec", {}, "command"],
    ["POST", "/api/tokens", { name: "x", scope: "root" }, "scope"],
  ])("%s %s %j is refused by the name of its field and changes nothing", async (...row) => {
    const [method, path, body, field] = row;
    const before = [await listed(), (await rig.ask("GET", "/api/host")).body];
    const answer = await rig.ask(method, path, { body });
    expect(answer).toMatchObject({ status: 400, body: { error: { field } } });
    // What others do on this machine is not its doing.
    const changing = {
      terminals: expect.anything() as unknown,
      storage: expect.anything() as unknown,
    };
    const after = [await listed(), (await rig.ask("GET", "/api/host")).body];
    expect(after).toMatchObject([before[0], { ...(before[1] as object), ...changing }]);
  });

  test.each([
    ["/api/terminals?limit=0", "limit"],
    ["/api/terminals?limit=ten", "limit"],
    ["/api/terminals?colour=red", "colour"],
    ["/api/terminals/not-an-id", "id"],
    ["/api/terminals/terminal:a1/output?position.after=-1", "position.after"],
    ["/api/search?text=a&context=99", "context"],
    ["/api/search", "text"],
  ])("GET %s is refused by the name of its field", async (path, field) => {
    expect(await rig.ask("GET", path)).toMatchObject({ status: 400, body: { error: { field } } });
  });

  test("about a terminal that is not there is not found", async () => {
    expect(await rig.ask("GET", "/api/terminals/terminal:nobody")).toMatchObject({
      status: 404,
      body: { error: { code: "terminal_not_found" } },
    });
  });

  test("with a body that is no JSON by its name is refused at the gate", async () => {
    const before = await listed();
    for (const type of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"]) {
      const headers = { "content-type": type };
      const answer = await rig.ask("POST", "/api/terminals", { body: "{}", headers });
      expect([type, answer.status]).toEqual([type, 415]);
    }
    expect(await listed()).toEqual(before);
  });
});

describe("scopes", () => {
  test("an agent sees its own terminals and no others", async () => {
    const agent = rig.tokenFor("robot", "agent");
    const foreign = await rig.create("sleep 60");
    const own = await rig.create("sleep 60", agent);
    expect(await listed(agent)).toEqual([own]);
    for (const [method, path] of [
      ["GET", ""],
      ["DELETE", ""],
      ["GET", "/screen"],
      ["GET", "/feed"],
    ] as const) {
      const answer = await rig.ask(method, `/api/terminals/${foreign}${path}`, { token: agent });
      expect([path, answer.status]).toEqual([path, 404]);
    }
    expect((await rig.ask("GET", "/metrics", { token: agent })).status).toBe(403);
    expect(await listed()).toContain(TerminalId.parse(foreign));
  });

  test("who may only look changes nothing", async () => {
    const reader = rig.tokenFor("viewer", "readOnly");
    const id = await rig.create("sleep 60");
    const before = await rig.ask("GET", `/api/terminals/${id}`);
    for (const row of rig.router.routes.filter(({ mutates }) => mutates)) {
      if (row.scopes.includes("readOnly")) continue;
      const path = row.path.replace(/\{(?:id|terminalId)\}/, id).replace(/\{[A-Za-z]+\}/g, "x");
      const answer = await rig.ask(row.method, path, { token: reader });
      expect([row.name, answer.status]).toEqual([row.name, 403]);
    }
    const after = await rig.ask("GET", `/api/terminals/${id}`);
    expect(after.body).toEqual(before.body);
  });

  test("nobody without a credential gets further than the page", async () => {
    for (const { method, path, access } of rig.router.routes) {
      if (access === "public") continue;
      const answer = await rig.ask(method, path.replaceAll(/[{}]/g, ""), { token: "" });
      expect([path, answer.status]).toEqual([path, 401]);
    }
    expect(await rig.ask("GET", "/healthz", { token: "" })).toMatchObject({
      status: 200,
      body: { ok: true },
    });
  });
});

test("metrics count what happened", async () => {
  const { body } = await rig.ask("GET", "/metrics");
  expect(body).toMatch(/nacre_terminals_running [0-9]+/);
  expect(body).toMatch(
    /nacre_http_requests_total\{operation="createTerminal",status="201"\} [1-9]/,
  );
  expect(body).toContain("nacre_recorder_ok 1");
});

test("nothing failed that nobody was told of", () => {
  expect(rig.problems).toEqual([]);
});
