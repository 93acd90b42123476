// What transports see of all terminals at once, and as whom.
import { TerminalId } from "@nacre/contracts";
import { afterAll, expect, test } from "vitest";
import { agentNamed, OPERATOR, OperationsRig } from "./operations-rig.ts";

const rig = await OperationsRig.open();
afterAll(() => rig[Symbol.asyncDispose]());

const cat = { command: "/bin/cat" };
const via = "ahp";

test("a listing has what the caller may see, and tells of changes", async () => {
  const agent = agentNamed("ann");
  using all = rig.host.operations.terminals({ caller: OPERATOR, via });
  using own = rig.host.operations.terminals({ caller: agent, via });
  let changes = 0;
  using listening = all.onChange(() => changes++);
  expect(listening).toBeDefined();
  const first = TerminalId.parse((await rig.ask("createTerminal", cat)).id);
  const second = TerminalId.parse((await rig.ask("createTerminal", cat, agent)).id);
  expect(all.list().map(({ id }) => id)).toEqual([first, second]);
  expect(own.list().map(({ id }) => id)).toEqual([second]);
  expect(own.find(first)).toBeUndefined();
  expect(all.find(first)).toMatchObject({ title: "/bin/cat", isPty: true, state: "active" });
  const before = changes;
  await rig.ask("renameTerminal", { id: first, title: "renamed" });
  expect(changes).toBeGreaterThan(before);
  expect(all.find(first)).toMatchObject({ title: "renamed", untitled: "/bin/cat" });
  await rig.ask("disposeTerminal", { id: first });
  expect(all.list().map(({ id }) => id)).toEqual([second]);
});

test("an operator that does not want to take over is refused what somebody holds", async () => {
  const { id } = await rig.ask("createTerminal", cat, agentNamed("bob"));
  await expect(rig.ask("moveClaim", { id, takeover: false })).rejects.toMatchObject({
    code: "claim_held",
  });
  expect(await rig.ask("moveClaim", { id })).toMatchObject({ epoch: 2 });
});
