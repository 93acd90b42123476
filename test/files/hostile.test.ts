import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import {
  chmod,
  chown,
  link,
  mkdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  truncate,
  writeFile,
} from "node:fs/promises";
import { createServer } from "node:net";
import { expect, test } from "vitest";
import { CONTROL_NAMES } from "../../packages/host/src/transports/files/control-file-request.ts";
import { openServed } from "./served-directory.ts";

const FAST = { limits: { requestsPerSecond: 1000 } };

const ONLY_ROOT_MAKES: Record<string, (path: string) => Promise<void>> = {
  device: async (path) => {
    // The one that never ends.
    execFileSync("mknod", [path, "c", "1", "5"]);
  },
  "file of another user": async (path) => {
    await writeFile(`${path}.theirs`, '{"command":"true"}');
    await chown(`${path}.theirs`, 65_534, 65_534);
    await rename(`${path}.theirs`, path);
  },
};

const KINDS: Record<string, (path: string) => Promise<void>> = {
  link: (path) => symlink("/etc/passwd", path),
  "dangling link": (path) => symlink("/nonexistent", path),
  directory: async (path) => {
    await mkdir(path);
  },
  FIFO: async (path) => {
    execFileSync("mkfifo", [path]);
  },
  socket: async (path) => {
    const server = createServer().listen(path).unref();
    await once(server, "listening");
  },
  "hard link": async (path) => {
    await writeFile(`${path}.other`, '{"command":"true"}');
    await link(`${path}.other`, path);
  },
  ...(process.getuid?.() === 0 ? ONLY_ROOT_MAKES : {}),
  "file of 1 GiB": async (path) => {
    await writeFile(path, "");
    await truncate(path, 1024 ** 3);
  },
};

test.each(Object.entries(KINDS))(
  "a %s in place of any control file is invalid",
  async (_, make) => {
    await using served = await openServed(FAST);
    const { agent } = served;
    for (const name of CONTROL_NAMES) {
      await rm(agent.path("control", `${name}.json`));
      await make(agent.path("control", `${name}.json`));
      const { error } = await agent.result(({ operation, ok }) => operation === name && !ok);
      expect(error?.code).toBe("invalid");
      await rm(agent.path("control", `${name}.json`), { recursive: true });
    }
    const after = await agent.ask("exec", { command: "echo fine" });
    expect(after.result.text).toBe("fine\n");
    expect(served.problems).toEqual([]);
  },
);

test("64 FIFOs hold up nobody", async () => {
  await using served = await openServed(FAST);
  const { agent } = served;
  const names = Array.from({ length: 64 - CONTROL_NAMES.length + 1 }, (_, index) => `p${index}`);
  const paths = [...CONTROL_NAMES.filter((name) => name !== "exec"), ...names].map((name) =>
    agent.path("control", `${name}.json`),
  );
  for (const path of paths) await rm(path, { force: true });
  execFileSync("mkfifo", paths);
  for (const path of [agent.path("PERMISSIONS.json"), agent.path("requests", "x.json")]) {
    await rm(path, { force: true });
    execFileSync("mkfifo", [path]);
  }
  expect((await agent.ask("exec", { command: "true" })).error?.code).toBe("eperm");
  await rm(agent.path("PERMISSIONS.json"));
  const permissions = { default: "allow-by-default", allow_roles: ["agent"], scope: "agent" };
  await writeFile(agent.path("PERMISSIONS.json"), JSON.stringify(permissions));
  expect((await agent.ask("exec", { command: "echo on" })).result.text).toBe("on\n");
});

test("an answer replaces what was planted in its place and follows nothing", async () => {
  await using served = await openServed(FAST);
  const { agent } = served;
  const victim = agent.path("..", "victim");
  await writeFile(victim, "precious");
  for (const name of ["result.json", "status.json", "sessions.json", "current.json"]) {
    await rm(agent.path(name));
    await symlink(victim, agent.path(name));
  }
  const answer = await agent.ask("create", { shell: "bash", env: { HOME: "/nonexistent" } });
  expect(answer.ok).toBe(true);
  expect(agent.read("result.json").request_id).toBe(answer.request_id);
  expect(await readFile(victim, "utf8")).toBe("precious");
  const modes = await Promise.all(
    ["result.json", "sessions.json", ".state.json"].map((name) => stat(agent.path(name))),
  );
  expect(modes.map(({ mode }) => mode & 0o777)).toEqual([0o600, 0o600, 0o600]);
});

test("a directory that others can reach is not served until it is ours alone again", async () => {
  await using served = await openServed({ limits: { ...FAST.limits, pollMs: 10 } });
  const { agent, problems } = served;
  await chmod(agent.directory, 0o777);
  expect(String(await served.problem)).toContain("mode 0777");
  await agent.put("exec", { request_id: "open", command: `stat -c %a ${agent.directory}` });
  await chmod(agent.directory, 0o700);
  expect((await agent.answer("open")).result.text).toBe("700\n");
  expect(problems).toHaveLength(1);
});

test("a directory in place of a result is moved aside with what is in it", async () => {
  await using served = await openServed(FAST);
  const { agent, problems } = served;
  await rm(agent.path("result.json"));
  await mkdir(agent.path("result.json", "deep"), { recursive: true });
  const { request_id } = await agent.ask("exec", { command: "true" });
  expect(agent.read("result.json").request_id).toBe(request_id);
  const moved = readdirSync(agent.directory).filter((name) => name.startsWith("result.json."));
  expect(moved.map((name) => readdirSync(agent.path(name)))).toEqual([["deep"]]);
  expect(problems).toEqual([]);
});

test("a directory that is called like a draft keeps nothing from being served", async () => {
  await using served = await openServed(FAST);
  const { agent, problems } = served;
  await mkdir(agent.path(`.nacre-${"0".repeat(24)}.tmp`));
  await served.restart();
  expect((await agent.ask("exec", { command: "true" })).ok).toBe(true);
  expect(problems).toEqual([]);
});
