import { existsSync, readdirSync, readFileSync } from "node:fs";
import { chown, mkdir, rename, rm, symlink, writeFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { found } from "../support/file-agent.ts";
import { openServed, type Served } from "./served-directory.ts";

const FAST = { limits: { requestsPerSecond: 1000, pollMs: 10 } };

/** Moves the directory away and waits until there is another one. */
async function replace({ agent }: Served, to: string): Promise<void> {
  await rename(agent.directory, to);
  const isThere = (path: string) => () => (existsSync(path) ? { path } : undefined);
  await found(agent.path(".."), isThere(agent.directory));
  await found(agent.directory, isThere(agent.path("CAPS.json")));
}

test("a directory that was moved away is made anew with all it says of itself", async () => {
  await using served = await openServed(FAST);
  const { agent } = served;
  const before = readdirSync(agent.directory).toSorted();
  await agent.ask("create", { session_id: "kept", shell: "bash", env: { HOME: "/nonexistent" } });
  const old = `${agent.directory}.old`;
  await replace(served, old);
  const answers = readdirSync(`${old}/requests`);
  expect((await agent.ask("exec", { command: "echo new" })).result.text).toBe("new\n");
  expect(readdirSync(agent.directory)).toEqual(expect.arrayContaining(before));
  expect(agent.read("current.json").session.session_id).toBe("kept");
  expect(readdirSync(`${old}/requests`)).toEqual(answers);
});

test("whoever replaces the directory again and again uses up no descriptors", async () => {
  await using served = await openServed(FAST);
  const count = (): number => readdirSync("/proc/self/fd").length;
  await replace(served, `${served.agent.directory}.first`);
  await served.agent.ask("resume");
  const before = count();
  for (let index = 0; index < 20; index++) {
    await replace(served, `${served.agent.directory}.${index}`);
    await served.agent.ask("resume");
  }
  // Each that stayed open would be three.
  expect(count() - before).toBeLessThan(20);
});

test("a link in place of a directory is not followed, also while the service runs", async () => {
  await using served = await openServed(FAST);
  const { agent } = served;
  const elsewhere = agent.path("..", "elsewhere");
  await mkdir(elsewhere, { mode: 0o700 });
  await writeFile(`${elsewhere}/exec.json`, '{"request_id":"elsewhere","command":"true"}');
  await rename(agent.path("control"), agent.path("control.old"));
  await symlink(elsewhere, agent.path("control"));
  expect(String(await served.problem)).toContain("is no directory");
  await rm(agent.path("control"));
  await rename(agent.path("control.old"), agent.path("control"));
  expect((await agent.ask("exec", { command: "true" })).ok).toBe(true);
  expect(existsSync(agent.path("requests", "elsewhere.json"))).toBe(false);
  expect(readdirSync(elsewhere)).toEqual(["exec.json"]);
});

test("a link in place of the directory for answers gets none", async () => {
  await using served = await openServed(FAST);
  const { agent } = served;
  const elsewhere = agent.path("..", "elsewhere");
  await mkdir(elsewhere, { mode: 0o700 });
  await rename(agent.path("requests"), agent.path("requests.old"));
  await symlink(elsewhere, agent.path("requests"));
  await served.problem;
  await rm(agent.path("requests"));
  await rename(agent.path("requests.old"), agent.path("requests"));
  expect((await agent.ask("exec", { command: "true" })).ok).toBe(true);
  expect(readdirSync(elsewhere)).toEqual([]);
});

test.runIf(process.getuid?.() === 0)("a directory of another user is not served", async () => {
  await using served = await openServed(FAST);
  const { agent } = served;
  await chown(agent.directory, 65_534, 65_534);
  expect(String(await served.problem)).toContain("belongs to user 65534");
  const command = `stat -c %u ${agent.directory}`;
  await agent.put("exec", { request_id: "theirs", command });
  await chown(agent.directory, 0, 0);
  expect((await agent.answer("theirs")).result.text).toBe("0\n");
});

test("an agent that removes everything finds it made anew", async () => {
  await using served = await openServed(FAST);
  const { agent } = served;
  // What is removed is made anew meanwhile, so that a directory may not be empty any more.
  const everything = { recursive: true, force: true, maxRetries: 20, retryDelay: 10 };
  for (const name of readdirSync(agent.directory)) await rm(agent.path(name), everything);
  await rm(agent.directory, everything);
  const isThere = (path: string) => () => (existsSync(path) ? { path } : undefined);
  await found(agent.path(".."), isThere(agent.directory));
  await found(agent.directory, isThere(agent.path("CAPS.json")));
  expect((await agent.ask("exec", { command: "echo on" })).result.text).toBe("on\n");
  expect(readFileSync(agent.path("README.md"), "utf8")).toContain("# Terminal");
});
