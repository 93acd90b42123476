import { expect, test } from "vitest";
import { type OpenRegistry, SessionService } from "./session-service.ts";

const platform = {
  detectShell: () => ({ shell: "/bin/sh", args: [] }),
  isWSL: () => true,
  getPlatformInfo: () => "a machine",
};

const serviceThat = (open: () => Promise<OpenRegistry>) => new SessionService({ open, platform });

test("nothing is opened before there is a session", () => {
  let opened = 0;
  const service = serviceThat(() => {
    opened++;
    return Promise.reject(new Error("not needed"));
  });
  expect(service.getAllSessions()).toEqual([]);
  expect(service.getScrollback("term-x")).toBeNull();
  expect([service.detectShell().shell, service.isWSL(), service.getPlatformInfo()]).toEqual([
    "/bin/sh",
    true,
    "a machine",
  ]);
  expect(opened).toBe(0);
});

test("what cannot be opened gives no session but its reason, and is tried again the next time", async () => {
  let attempts = 0;
  const problem = new Error("no disk");
  const service = serviceThat(() => {
    attempts++;
    return Promise.reject(problem);
  });
  expect(await service.createSession()).toBeNull();
  expect(service.lastError).toBe(problem);
  await expect(service.cleanup()).resolves.toBeUndefined();
  expect(await service.createSession()).toBeNull();
  expect(attempts).toBe(2);
  expect(service.getSessionCount()).toBe(0);
});

test("without a limit of its own there may be 1000 sessions", () => {
  const service = serviceThat(() => Promise.reject(new Error("not needed")));
  expect(service.getMaxSessions()).toBe(1000);
});
