import { type Caller, CallerId, type Scope } from "@nacre/contracts";
import { expect, test } from "vitest";
import { canSeeOwner, requireScope } from "./auth-context.ts";

const callerOf = (scope: Scope, owner?: Caller["owner"]): Caller => ({
  id: CallerId.parse("bob"),
  scope,
  owner,
});
const TASK = { entityName: "Task", entityId: "7" };

test("what is not for a scope is forbidden, and the message says for whom it is", () => {
  expect(() =>
    requireScope(["operator", "agent"], callerOf("agent"), "createTerminal"),
  ).not.toThrow();
  expect(() => requireScope(["operator", "agent"], callerOf("readOnly"), "createTerminal")).toThrow(
    "createTerminal is not for the scope readOnly, only for operator, agent",
  );
  expect(() => requireScope([], callerOf("operator"), "nothing")).toThrow("nothing is not for");
});

test("an agent has the terminals of its owner and no others", () => {
  const agent = callerOf("agent", { ...TASK, attributes: { any: 1 } });
  expect(canSeeOwner(agent, TASK)).toBe(true);
  expect(canSeeOwner(agent, { ...TASK, entityId: "8" })).toBe(false);
  expect(canSeeOwner(agent, { ...TASK, entityName: "Repository" })).toBe(false);
  expect(canSeeOwner(callerOf("agent"), TASK)).toBe(false);
});

test("everybody else sees all", () => {
  expect(canSeeOwner(callerOf("operator"), TASK)).toBe(true);
  expect(canSeeOwner(callerOf("readOnly", { ...TASK, entityId: "8" }), TASK)).toBe(true);
});
