import { describe, test } from "vitest";
import { BYTE_CASES, PORT_CASES } from "./contract/port-cases.ts";
import { ISOLATION_CASES, PROCESS_CASES } from "./contract/process-cases.ts";
import type { PtyCase } from "./contract/pty-fixtures.ts";
import type { PtyDriver } from "./pty.ts";

const PTY_CASES: readonly PtyCase[] = [
  ...PORT_CASES,
  ...BYTE_CASES,
  ...PROCESS_CASES,
  ...ISOLATION_CASES,
];

/** The cases that need an operating system under the driver. */
export const SYSTEM_CASES: readonly PtyCase[] = [
  ...BYTE_CASES,
  ...PROCESS_CASES,
  ...ISOLATION_CASES,
];

/** Holds a driver to the port. `cannot` maps the name of a case to the reason why this driver cannot pass it. */
export function ptyContract(driver: PtyDriver, cannot: ReadonlyMap<string, string>): void {
  describe(`${driver.name} keeps the contract of a Pty`, () => {
    for (const contractCase of PTY_CASES) {
      const reason = cannot.get(contractCase.name);
      test(contractCase.name, { timeout: 60_000 }, async ({ skip }) => {
        if (reason !== undefined) skip(reason);
        await contractCase.run(driver);
      });
    }

    test("a Pty that is not running cannot be adopted", async ({ expect }) => {
      await expect(driver.adopt("no-such-pty", 0)).rejects.toMatchObject({
        code: "terminal_not_found",
      });
      await expect(driver.list()).resolves.toEqual([]);
    });

    test("every listed impossibility names a case", ({ expect }) => {
      const names = PTY_CASES.map(({ name }) => name);
      expect([...cannot.keys()].filter((name) => !names.includes(name))).toEqual([]);
    });
  });
}
