import { expect, test } from "vitest";
import { ascii, ECHO_LAUNCH, PtyReader } from "../contract/pty-fixtures.ts";
import { echoPty, END_OF_INPUT } from "./echo-pty.ts";
import { ptyContract, SYSTEM_CASES } from "../pty.contract.ts";

const WITHOUT_SYSTEM = "echo-pty starts no program";

ptyContract(echoPty, new Map(SYSTEM_CASES.map(({ name }) => [name, WITHOUT_SYSTEM])));

test("an echo ends at the end of input, after everything written before it", async () => {
  await using pty = await echoPty.spawn(ECHO_LAUNCH);
  await pty.write(ascii("one "));
  await pty.write(Uint8Array.of(...ascii("two"), END_OF_INPUT));
  expect(await new PtyReader(pty).toEnd()).toBe("one two");
  expect(await pty.exited).toEqual({ exitCode: 0, outputBytes: 7, drained: true });
});
