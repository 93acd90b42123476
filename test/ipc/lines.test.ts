import { afterAll, beforeAll, expect, test } from "vitest";
import { type IpcServer, openIpc } from "./ipc-server.ts";

let server: IpcServer;
beforeAll(async () => {
  server = await openIpc();
});
afterAll(() => server[Symbol.asyncDispose]());

const MIB = 1024 * 1024;

const badLines: readonly [string, string | Uint8Array, string][] = [
  ["no JSON", "{oops", "invalid_argument"],
  ["no object", "[1,2,3]", "invalid_argument"],
  ["null", "null", "invalid_argument"],
  ["no UTF-8", Uint8Array.of(0x7b, 0xff, 0xfe, 0x7d), "invalid_argument"],
  ["too deep", `{"a":${"[".repeat(5000)}${"]".repeat(5000)}}`, "invalid_argument"],
  ["too many values", `{"a":[${"1,".repeat(20_000)}1]}`, "invalid_argument"],
  ["a key that changes objects", '{"type":"request","__proto__":{"id":"x"}}', "invalid_argument"],
  ["another type", '{"type":"response"}', "invalid_argument"],
  ["too long", `{"a":"${"x".repeat(MIB)}"}`, "payload_too_large"],
  ["far too long", `{"a":"${"x".repeat(8 * MIB)}"}`, "payload_too_large"],
];

test.each(badLines)(
  "a line that is %s is answered, and the next one counts",
  async (_, line, code) => {
    using client = await server.connect();
    client.send(line);
    expect(await client.until(({ ok }) => ok === false)).toMatchObject({
      id: null,
      error: { code },
    });
    expect(await client.ask("ping")).toMatchObject({ ok: true });
    expect(server.faults).toEqual([]);
  },
);

test("what was wrong is not repeated in words", async () => {
  using client = await server.connect();
  client.send('{"password":"hunter2');
  const said = await client.until(({ ok }) => ok === false);
  expect(JSON.stringify(said)).not.toContain("hunter2");
});

test("a wrong request is answered under its own id", async () => {
  using client = await server.connect();
  client.send('{"type":"request","id":7,"method":""}');
  expect(await client.until(({ id }) => id === 7)).toMatchObject({ ok: false });
});

test("requests may be cut anywhere, end with a return, and have empty lines between them", async () => {
  using client = await server.connect();
  const text =
    '\n{"type":"request","id":"ü","method":"ping"}\r\n\r\n{"type":"request","id":2,"method":"ping"}\n';
  for (const byte of Buffer.from(text)) client.socket.write(Uint8Array.of(byte));
  expect(await client.until(({ id }) => id === 2)).toMatchObject({ ok: true });
  expect(client.said.map(({ id }) => id)).toEqual(["ü", 2]);
});

test("a client that ends its side gets its answers, and the connection is over then", async () => {
  using client = await server.connect();
  client.socket.end(
    '{"type":"request","id":1,"method":"ping"}\n{"type":"request","id":2,"method":"ping"}\n',
  );
  await client.closed();
  expect(client.said.map(({ id }) => id)).toEqual([1, 2]);
  await server.served.at(-1);
});
