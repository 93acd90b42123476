import { type OperationName, OPERATIONS } from "@nacre/contracts";
import { expect, test, vi } from "vitest";
import { type Fetch, fetchWire, httpSend } from "./http-wire.ts";

const URL_OF_HOST = "http://127.0.0.1:6227/page?x#token=no";

/** A host that gives one answer, and remembers how it was asked. */
function hostSaying(answer: () => Response) {
  const fetch = vi.fn<Fetch>(async () => answer());
  const send = httpSend(fetchWire({ url: URL_OF_HOST, token: "t", clientLabel: "me", fetch }));
  return { send, fetch };
}

const id = "terminal:a1";

test("a GET has its input in path and query, and no body", async () => {
  const { send, fetch } = hostSaying(() => Response.json({ answer: 1 }));
  expect(await send("readOutput", { id, position: { after: 2 } })).toEqual({ answer: 1 });
  expect(fetch).toHaveBeenCalledExactlyOnceWith(
    "http://127.0.0.1:6227/api/terminals/terminal:a1/output?position.after=2",
    {
      method: "GET",
      headers: { accept: "application/json", authorization: "Bearer t", "nacre-client-id": "me" },
      redirect: "error",
      credentials: "omit",
      cache: "no-store",
    },
  );
});

test("a POST has what is not in its path as JSON", async () => {
  const { send, fetch } = hostSaying(() => Response.json({}));
  await send("sendInput", { id, data: "ls\r" });
  const [url, init] = fetch.mock.calls[0] ?? [];
  expect(url).toBe("http://127.0.0.1:6227/api/terminals/terminal:a1/input");
  expect(init).toMatchObject({ method: "POST", body: '{"data":"ls\\r"}' });
  expect(init?.headers).toMatchObject({ "content-type": "application/json" });
});

test("every operation has an address without braces", async () => {
  const { send, fetch } = hostSaying(() => Response.json({}));
  const names = Object.keys(OPERATIONS) as OperationName[];
  const input = { id, terminalId: id, name: "n", commandId: "c", requestId: "r" };
  for (const name of names) await send(name, input);
  expect(fetch.mock.calls.filter(([url]) => /[{}]|undefined/.test(url))).toEqual([]);
  expect(fetch).toHaveBeenCalledTimes(names.length);
});

test("a failure that the host tells is thrown as it is", async () => {
  const error = {
    code: "claim_held",
    message: "ann holds it",
    field: "id",
    suggestion: "ask ann",
    details: { claim: { kind: "client" } },
  };
  const { send } = hostSaying(() => Response.json({ error }, { status: 409 }));
  await expect(send("sendInput", { id, data: "x" })).rejects.toMatchObject(error);
});

test.each([
  [401, "", "unauthenticated"],
  [421, "", "forbidden"],
  [429, "<html>", "limit_reached"],
  [503, "{}", "unavailable"],
  [418, "x".repeat(200_000), "unexpected_answer"],
  [409, '{"error":{"code":"of_the_future","message":"m","suggestion":"s"}}', "unexpected_answer"],
])("a status %i with %j is %s", async (status, body, code) => {
  const { send } = hostSaying(() => new Response(body, { status }));
  await expect(send("readHost", {})).rejects.toMatchObject({ code });
});

test("an answer that is not whole is no answer", async () => {
  const { send } = hostSaying(() => new Response('{"a":'));
  await expect(send("readHost", {})).rejects.toMatchObject({ code: "unexpected_answer" });
});

test("a connection that breaks within an answer can be made again", async () => {
  const body = new ReadableStream({
    start: (controller) => controller.enqueue(new TextEncoder().encode('{"a":')),
    pull: (controller) => controller.error(new TypeError("terminated")),
  });
  const { send } = hostSaying(() => new Response(body));
  await expect(send("readHost", {})).rejects.toMatchObject({ code: "unavailable" });
});

test("a host that is not there is unavailable", async () => {
  const fetch: Fetch = () => Promise.reject(new TypeError("fetch failed"));
  const send = httpSend(fetchWire({ url: URL_OF_HOST, fetch }));
  await expect(send("readHost", {})).rejects.toMatchObject({
    code: "unavailable",
    message: "no host answers at http://127.0.0.1:6227",
  });
});

const broken = (): Error => {
  const cause = Object.assign(new Error("other side closed"), { code: "UND_ERR_SOCKET" });
  return new TypeError("fetch failed", { cause });
};

test("a kept connection that was closed just now is made again for what only reads", async () => {
  const methods: unknown[] = [];
  const fetch: Fetch = (_url, { method }) => {
    methods.push(method);
    return methods.length === 1 ? Promise.reject(broken()) : Promise.resolve(new Response("{}"));
  };
  const send = httpSend(fetchWire({ url: URL_OF_HOST, fetch }));
  expect(await send("readHost", {})).toEqual({});
  expect(methods).toEqual(["GET", "GET"]);
});

test("what may have been done is not asked for again, and nothing more than once", async () => {
  let asked = 0;
  const fetch: Fetch = () => {
    asked++;
    return Promise.reject(broken());
  };
  const send = httpSend(fetchWire({ url: URL_OF_HOST, fetch }));
  await expect(send("createTerminal", {})).rejects.toMatchObject({ code: "unavailable" });
  expect(asked).toBe(1);
  await expect(send("readHost", {})).rejects.toMatchObject({ code: "unavailable" });
  expect(asked).toBe(3);
});

test("who does not wait any more ends the request", async () => {
  const gone = new AbortController();
  const fetch: Fetch = (_url, { signal }) =>
    new Promise((_resolve, reject) => {
      signal?.addEventListener("abort", () => reject(new Error("the request ended")));
    });
  const send = httpSend(fetchWire({ url: URL_OF_HOST, fetch }));
  const answer = send("readHost", {}, { signal: gone.signal });
  gone.abort(new Error("enough"));
  await expect(answer).rejects.toThrow("enough");
});
