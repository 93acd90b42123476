// Bodies that are made to hurt whoever reads them.
import assert from "node:assert/strict";
import { request } from "node:http";
import type { DaemonProcess } from "../support/daemon-process.ts";
import type { DaemonPlan } from "./plan.ts";

/** A body, and how it must be answered. */
interface JsonBomb {
  readonly name: string;
  readonly status: number;
  readonly body: () => string;
  /** Whether the host may hang up before its answer was read, as it does not take so much. */
  readonly mayBreak?: true;
}

/** What still fits into a body. */
const FITTING_DEPTH = 500_000;

const KEYS = 100_000;

const nested = (depth: number): string => `${"[".repeat(depth)}${"]".repeat(depth)}`;

const bombsOf = ({ jsonDepth }: DaemonPlan): readonly JsonBomb[] => [
  {
    name: "far too deep",
    status: 413,
    body: () => `{"args":${nested(jsonDepth)}}`,
    mayBreak: true,
  },
  { name: "too deep", status: 400, body: () => `{"args":${nested(FITTING_DEPTH)}}` },
  {
    name: "too many keys",
    status: 400,
    body: () => `{${Array.from({ length: KEYS }, (_, key) => `"${key}":0`).join(",")}}`,
  },
  {
    name: "a prototype",
    status: 400,
    body: () => '{"__proto__":{"scope":"operator"},"command":"/bin/cat"}',
  },
  { name: "a constructor", status: 400, body: () => '{"constructor":{"prototype":{"a":1}}}' },
  { name: "a number without end", status: 400, body: () => `{"cols":1e${"9".repeat(100_000)}}` },
];

/** Sends all of them; throws unless each is refused as it should be. */
export async function throwJsonBombs(daemon: DaemonProcess, plan: DaemonPlan): Promise<number> {
  const bombs = bombsOf(plan);
  const statuses = await Promise.all(
    bombs.map(async ({ body, mayBreak, status }) => {
      const answered = await statusOf(daemon, body());
      return answered === undefined && mayBreak ? status : answered;
    }),
  );
  assert.deepEqual(
    bombs.map(({ name }, at) => [name, statuses[at]]),
    bombs.map(({ name, status }) => [name, status]),
  );
  return bombs.length;
}

/** What a body is answered with; undefined when the connection breaks instead. */
function statusOf({ port, token }: DaemonProcess, body: string): Promise<number | undefined> {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const to = { host: "127.0.0.1", port, path: "/api/terminals", method: "POST", agent: false };
  return new Promise((resolve) => {
    let status: number | undefined;
    const sent = request({ ...to, headers }, (response) => {
      status = response.statusCode;
      response.on("error", () => undefined).resume();
    });
    sent.on("error", () => undefined).on("close", () => resolve(status));
    sent.end(body);
  });
}
