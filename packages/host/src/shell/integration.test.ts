import { mkdtemp, readdir, readFile, rm, stat, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type IntegrationInput, prepareIntegration } from "./integration.ts";

let directory = "";
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "nacre-integration-"));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const prepare = (shell: string, input: Partial<IntegrationInput> = {}) =>
  prepareIntegration({ shell, args: [], env: {}, directory: join(directory, "below"), ...input });

test("the secret is for the owner's eyes, in a directory of its own, and can be removed", async () => {
  const integration = await prepare("/usr/bin/bash");
  const file = integration?.env["NACRE_SHELL_CODE"] ?? "";
  expect(await readFile(file, "utf8")).toBe(`${integration?.nonces.secret}\n`);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect((await stat(dirname(file))).mode & 0o777).toBe(0o700);
  const other = await prepare("/usr/bin/bash");
  expect(other?.nonces.secret).not.toBe(integration?.nonces.secret);
  await integration?.dispose();
  await integration?.dispose();
  expect(await readdir(join(directory, "below"))).toHaveLength(1);
});

test("each shell is told in its own way, and keeps its arguments", async () => {
  const bash = await prepare("/opt/bash", { args: ["--login"], env: { ENV: "own" } });
  expect(bash?.args).toEqual(["--posix", "--login"]);
  expect(bash?.env).toMatchObject({ NACRE_SHELL_ENV: "own" });
  expect(bash?.env["ENV"]).toMatch(/shell\/scripts\/bash\.sh$/);
  const zsh = await prepare("/bin/zsh", { args: ["-l", "-i"], env: { ZDOTDIR: "" } });
  expect(zsh?.args).toEqual(["-l", "-i"]);
  expect(zsh?.env).toMatchObject({ NACRE_SHELL_ZDOTDIR: "" });
  const fish = await prepare("/bin/fish", { args: ["-il"] });
  expect(fish?.args).toEqual(["-il", "--init-command", expect.stringMatching(/^source '/)]);
  expect(fish?.env).toEqual({});
  const dash = await prepare("/bin/dash", { args: ["-i"] });
  expect(dash?.args).toEqual(["-i"]);
  expect([bash, zsh, fish, dash].map((one) => one?.quality)).toEqual([
    "exact",
    "exact",
    "exact",
    "estimated",
  ]);
});

test("the scripts are where the shells are sent", async () => {
  const bash = await prepare("/usr/bin/bash");
  const sh = await prepare("/bin/dash");
  const zsh = await prepare("/bin/zsh");
  const fish = await prepare("/bin/fish");
  for (const path of [
    bash?.env["ENV"],
    sh?.env["ENV"],
    join(zsh?.env["ZDOTDIR"] ?? "", ".zshenv"),
    /^source '([^']*)'/.exec(fish?.args.at(-1) ?? "")?.[1],
  ]) {
    expect(await readFile(path ?? "", "utf8")).toMatch(/^# Nacre's markers for/);
  }
});

test.each([
  ["an unknown shell", "/usr/bin/ksh", []],
  ["a command", "/usr/bin/bash", ["-c", "echo"]],
  ["a script", "/bin/zsh", ["script.zsh"]],
  ["a shell without its files", "/usr/bin/bash", ["--norc"]],
  ["a shell in another mode", "/usr/bin/bash", ["--posix"]],
  ["zsh without its files", "/bin/zsh", ["-f"]],
  ["fish with a command of its own", "/bin/fish", ["-C", "true"]],
  ["sh as a login shell", "/bin/dash", ["-l"]],
])("%s is left as it is", async (_what, shell, args) => {
  expect(await prepare(shell, { args })).toBeUndefined();
  await expect(readdir(join(directory, "below"))).rejects.toThrow("ENOENT");
});

test("bash that is told to be a posix shell is left as it is", async () => {
  expect(await prepare("/usr/bin/bash", { env: { POSIXLY_CORRECT: "" } })).toBeUndefined();
});

test("sh is what it leads to", async () => {
  for (const [target, quality] of [
    ["dash", "estimated"],
    ["bash", "estimated"],
    ["env", undefined],
  ] as const) {
    const link = join(directory, "sh");
    await rm(link, { force: true });
    await symlink(`/usr/bin/${target}`, link);
    expect((await prepare(link))?.quality).toBe(quality);
  }
});
