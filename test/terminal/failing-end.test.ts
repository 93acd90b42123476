import { expect, test } from "vitest";
import { choosePtyDriver } from "@nacre/host";
import { openHost } from "../support/open-host.ts";
import { shLine } from "../support/terminal-input.ts";
import { untilText } from "../support/terminal-output.ts";

test("a terminal that cannot be ended stays on the list, and can be ended later", async () => {
  const driver = await choosePtyDriver();
  let mayEnd = false;
  await using host = await openHost({
    driver: {
      name: driver.name,
      spawn: async (launch) => {
        const pty = await driver.spawn(launch);
        const kill = pty.kill.bind(pty);
        pty.kill = (graceMs) => (mayEnd ? kill(graceMs) : Promise.reject(new Error("not now")));
        return pty;
      },
      list: () => driver.list(),
      adopt: (id, fromOffset) => driver.adopt(id, fromOffset),
    },
  });
  const terminal = await host.createTerminal(shLine("echo here; cat"));
  await untilText(terminal, "here");
  await expect(host.registry.dispose(terminal.id)).rejects.toThrow("not now");
  expect(host.registry.find(terminal.id)).toBe(terminal);
  mayEnd = true;
  await host.registry.dispose(terminal.id);
  expect(terminal.isRunning).toBe(false);
  expect(host.registry.list()).toEqual([]);
});
