import { CallerId, type Claim, ClientId } from "@nacre/contracts";
import { afterEach, beforeEach, expect, test } from "vitest";
import { rememberSession, resolveSpeaker } from "./connected-client.ts";
import { type Client, Rig, settle } from "./testing/rig.ts";

const CHANNEL = "ahp-terminal:/a";
const OWN = { kind: "client", clientId: "window" };

let rig: Rig;
let client: Client;

beforeEach(async () => {
  rig = new Rig();
  client = rig.connect();
  await client.initialize();
});

afterEach(() => rig[Symbol.dispose]());

/** What was asked of the host for a claim that a client dispatched. */
async function claimed(claim: object, present?: Claim): Promise<unknown> {
  const terminal = rig.add("a");
  if (present) terminal.change({ claim: present });
  client.dispatch(CHANNEL, 1, { type: "terminal/claimed", claim });
  await settle();
  const call = rig.done.find((one) => one.startsWith("moveClaim "));
  return call === undefined ? undefined : JSON.parse(call.slice("moveClaim ".length));
}

test("a claim names clients as the host does, and never takes over", async () => {
  expect(await claimed(OWN)).toEqual({
    id: "terminal:a",
    takeover: false,
    claim: { kind: "client", clientId: "olga#window" },
  });
});

test("a session stands for the chat that it does not have", async () => {
  const asked = await claimed({ kind: "session", session: "s:2", chat: "s:2", turnId: "t" });
  expect(asked).toMatchObject({ claim: { kind: "session", session: "s:2", turnId: "t" } });
  expect(asked).not.toHaveProperty("claim.chat");
});

test("a claim that makes no sense is rejected and asked of nobody", async () => {
  expect(await claimed({ kind: "session" })).toBeUndefined();
  expect(client.mirrors.envelopes[0]).toMatchObject({ origin: { clientSeq: 1 } });
  expect(client.mirrors.envelopes[0]?.rejectionReason).toContain("claim.session");
});

test("a client speaks for the sessions it began with or handed terminals to", () => {
  const caller = { id: CallerId.parse("olga"), scope: "operator" } as const;
  const sessions = new Set<string>();
  const [present, wanted]: Claim[] = [
    { kind: "session", session: "s:1" },
    { kind: "session", session: "s:2" },
  ];
  expect(resolveSpeaker({ caller, sessions, present })).toBe(caller);
  rememberSession({ kind: "client", clientId: ClientId.parse("olga#window") }, sessions);
  expect(sessions.size).toBe(0);
  rememberSession({ kind: "session", session: "s:2" }, sessions);
  expect(
    resolveSpeaker({ caller, sessions, present, ...(wanted ? { wanted } : {}) }),
  ).toMatchObject({
    session: "s:2",
  });
  for (let count = 0; count < 1000; count++) {
    rememberSession({ kind: "session", session: `more:${count}` }, sessions);
  }
  expect(sessions.size).toBe(256);
  const agent = { ...caller, session: "s:own" };
  expect(resolveSpeaker({ caller: agent, sessions, present })).toBe(agent);
});
