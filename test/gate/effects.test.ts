// The matrix proves something only if what it sends would do something: here it is let in.
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { wireOf } from "./cell.ts";
import { NO_PAGE, ourHosts } from "./dimensions.ts";
import { EXPECTED_ROUTES } from "./expected-routes.ts";
import { GatedDaemon } from "./gated-daemon.ts";

/** What has no effect here: there is no password, no shell, nobody else who wants the terminal, and no open request. */
const WITHOUT_EFFECT = [
  "/auth",
  "/logout",
  "/commands",
  "/claim",
  "/claim/hand-back",
  "/control-requests",
  "/control-requests/{requestId}",
  "/input-requests/{requestId}",
];

/** Needs an owner in its query; what it does then is in test/e2e. */
const isOwnerEnd = ({ method, path }: (typeof EXPECTED_ROUTES)[number]): boolean =>
  method === "DELETE" && path === "/api/terminals";

const CHANGING = EXPECTED_ROUTES.filter(
  (route) =>
    route.mutates && !isOwnerEnd(route) && !WITHOUT_EFFECT.some((end) => route.path.endsWith(end)),
);

let daemon: GatedDaemon;

beforeAll(async () => {
  daemon = await GatedDaemon.open();
});

beforeEach(() => daemon.createTerminal());

afterAll(() => daemon[Symbol.asyncDispose]());

test.each(CHANGING)("$method $path would change what the matrix compares", async (route) => {
  const before = await daemon.state();
  const { method, path } = route;
  const wire = wireOf(
    {
      method,
      path,
      routes: [route],
      host: ourHosts(daemon.port)[0]!,
      page: NO_PAGE,
      credential: "operator",
    },
    daemon.secrets,
    { terminalId: daemon.terminalId, isThere: true },
  );
  expect((await daemon.ask(wire)).status).toBeLessThan(300);
  // What a signal does to a program shows a moment later.
  await expect.poll(() => daemon.state(), { timeout: 10_000 }).not.toEqual(before);
});
