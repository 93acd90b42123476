import { expect, test } from "vitest";
import { startGuarded } from "./testing/guarded-server.ts";
import { closeOf, open, requestOf } from "./testing/raw-http.ts";

const PATH = "/api/terminals/terminal:a/connect";

test("who kept a request half sent gets no ticket when its token is taken away", async () => {
  const half = Promise.withResolvers<void>();
  const closed = Promise.withResolvers<void>();
  const tickets: string[] = [];
  await using server = await startGuarded({
    handleRequest: (request, response, admission) => {
      request.once("end", () => {
        if (admission === undefined) return;
        tickets.push(server.tickets.issue(admission.caller, { path: PATH }).ticket);
        response.end(tickets[0]);
      });
      request.once("close", () => closed.resolve());
      request.once("data", () => half.resolve());
    },
  });
  const { token } = server.tokens.create({ name: "worker", scope: "agent" });
  const socket = await open(server.to);
  const gone = closeOf(socket.resume());
  const headers = [
    server.host,
    `Authorization: Bearer ${token}`,
    "Content-Type: application/json",
    "Content-Length: 2",
  ];
  socket.write(requestOf("POST /api/tickets", headers, "{"));
  await half.promise;
  server.tokens.rotate("worker");
  socket.write("}");
  await Promise.all([closed.promise, gone]);
  expect(tickets).toEqual([]);
});
