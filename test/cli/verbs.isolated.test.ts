import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test, vi } from "vitest";
import { requireProgram } from "../../packages/host/src/testing/require-program.ts";
import { NacreHome } from "./nacre-home.ts";

const MAX_MS = 60_000;
vi.setConfig({ testTimeout: MAX_MS, hookTimeout: MAX_MS });

const home = new NacreHome();
afterAll(() => home[Symbol.asyncDispose]());

/** A terminal of its own, by the id that it got. */
async function create(words = ""): Promise<string> {
  const { result } = await home.json(`nacre new ${words}`);
  return String(result?.["id"]);
}

test("the daemon is started by what needs it, and by nothing else", async () => {
  for (const line of ["nacre status", "nacre stop"]) expect((await home.sh(line)).code).toBe(7);
  expect((await home.sh("nacre completion terminals")).stdout).toBe("");
  expect((await home.sh("nacre status")).code).toBe(7);
  await create("-n shell");
  expect((await home.sh("nacre status")).code).toBe(0);
});

test("a new terminal is told by its id, is listed, and is found by what it is called", async () => {
  const id = await create("--name first --size 100x30 --cwd /tmp");
  const uid = id.slice("terminal:".length);
  const { result } = await home.json("nacre ls");
  expect(result?.["terminals"]).toContainEqual(
    expect.objectContaining({ id, name: "first", state: "active" }),
  );
  const { stdout } = await home.sh("nacre ls");
  expect(stdout).toMatch(/^ID +TITLE +STATE +HELD BY +RUNS +AGE +IN$/m);
  expect(stdout).toMatch(new RegExp(`^${uid.slice(0, 8)}\\S* +first +running +\\S*#cli `, "m"));
  for (const word of [id, uid, uid.slice(0, 10), "first"]) {
    expect((await home.json(`nacre who ${word}`)).result).toMatchObject({ id });
  }
  expect((await home.json("nacre who", { NACRE_TERMINAL_ID: id })).result).toMatchObject({ id });
  expect(await home.json("nacre who nobody")).toMatchObject({
    ok: false,
    error: { code: "terminal_not_found", field: "terminal" },
  });
  expect((await home.sh("nacre who nobody")).code).toBe(3);
  expect((await home.sh("nacre who")).code).toBe(2);
});

test("what is typed, pressed and pasted arrives, and its output can be shown again", async () => {
  expect(await home.json('nacre send shell "echo one two; (exit 3)" -e -w')).toMatchObject({
    ok: true,
    result: { outcome: "commandEnd", command: { exitCode: 3 } },
  });
  expect((await home.sh("nacre show shell -1 -q")).stdout).toBe("one two\n");
  expect((await home.sh("nacre history shell")).stdout).toMatch(
    /^-1 +exit 3 +\S+ +\S+ +\S+ +echo one two; \(exit 3\)$/m,
  );
  await home.sh("nacre paste shell 'echo pasted'");
  await home.sh("nacre keys shell Enter");
  await home.sh("nacre wait shell --regex '^pasted$' --after 0");
  expect((await home.sh("nacre screen shell")).stdout).toMatch(/^pasted$/m);
  const wrong = await home.sh("nacre keys shell Entre");
  expect(wrong.code).toBe(2);
  expect(wrong.stderr).toContain("Did you mean `Enter`");
});

test("inside a terminal its words are for itself", async () => {
  const id = await create("-n inner");
  const env = { NACRE_TERMINAL_ID: id };
  await home.sh("nacre send 'echo by itself'", env);
  await home.sh("nacre keys -- Enter", env);
  const { result } = await home.json("nacre wait --text 'by itself' --after 0", env);
  expect(result).toMatchObject({ outcome: "text" });
});

test("inside a terminal the daemon is meant that has it, and no token is there", async () => {
  const env = { NACRE_HOME: join(home.path, "another") };
  try {
    const inside = await home.sh("nacre exec -- sh -c 'nacre status --json; env'", env);
    const { pid } = (await home.json("nacre status", env)).result ?? {};
    expect(inside.stdout).toContain(`"pid":${String(pid)},`);
    expect(inside.stdout).toContain(`NACRE_SOCKET=${env.NACRE_HOME}/run/nacre.sock\n`);
    expect(inside.stdout).not.toMatch(/^\w*TOKEN\w*=/m);
  } finally {
    await home.sh("nacre stop", env);
  }
});

test("a wait that runs out of time says so, with what was seen", async () => {
  const { code, stdout } = await home.sh("nacre wait shell --text never --timeout 50ms --json");
  expect(code).toBe(11);
  expect(JSON.parse(stdout)).toMatchObject({
    ok: false,
    command: "wait",
    error: { code: "timeout" },
    result: { outcome: "timeout" },
  });
  await create("-n brief -- true");
  expect((await home.sh("nacre wait brief --text never --after 0")).code).toBe(4);
  expect((await home.sh("nacre wait brief --exit --after 0")).code).toBe(0);
  expect((await home.sh("nacre send brief more")).code).toBe(4);
});

test("a secret is never taken from the arguments, and is neither shown nor recorded", async () => {
  const id = await create(`-n asking -- bash -c 'read -s -p "Password: " x; echo "got \${#x}"'`);
  await home.sh("nacre wait asking --input-needed --after 0");
  const { result } = await home.json("nacre inbox");
  expect(result?.["needs"]).toContainEqual(
    expect.objectContaining({
      id,
      kind: "input",
      input: expect.objectContaining({ kind: "secret" }) as unknown,
    }),
  );
  expect((await home.sh("nacre ls --needs-you")).stdout).toMatch(/asking +! asks for a secret/);
  const refused = await home.sh("nacre answer asking hunter2-canary");
  expect([refused.code, refused.stderr]).toEqual([
    2,
    expect.stringMatching(/visible to other users/),
  ]);
  expect((await home.sh("printf hunter2-canary | nacre answer asking -")).code).toBe(0);
  await home.sh("nacre wait asking --exit --after 0");
  expect((await home.sh("nacre screen asking")).stdout).toContain("got 14");
  const exported = await home.sh("nacre export asking -f json");
  expect(exported.stdout).toContain("got 14");
  expect(exported.stdout).not.toContain("hunter2");
  expect((await home.sh("nacre answer asking x")).code).toBe(1);
});

test("P-A1: what comes from standard input is a secret, and typed only where one is asked for", async () => {
  await home.sh("nacre new -n naming -- sh -c 'read -r name; echo hello $name'");
  await home.sh("nacre wait naming --input-needed --after 0");
  const refused = await home.sh("printf canary-11 | nacre answer naming -");
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining("ask for a secret")]);
  expect((await home.sh("nacre answer naming anna")).code).toBe(0);
  const logs = await home.sh("nacre wait naming --exit --after 0 && nacre logs naming");
  expect(logs.stdout).toContain("hello anna");
  expect(logs.stdout).not.toContain("canary-11");
});

test("an answer is never typed into the rest of a command line, which a shell would run", async () => {
  const id = await create("-n unfinished");
  await home.sh("nacre wait unfinished --prompt --after 0");
  await home.sh('nacre send unfinished "echo \'abc" -e');
  await home.sh("nacre wait unfinished --input-needed --after 0");
  for (const line of [
    "nacre answer unfinished canary-9",
    "printf canary-9 | nacre answer unfinished -",
  ]) {
    const refused = await home.sh(line);
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining("command line")]);
    expect(refused.stderr).toContain("nacre send");
  }
  expect(await home.json("nacre answer unfinished x")).toMatchObject({
    error: { code: "conflict" },
  });
  await home.sh("nacre keys unfinished C-c");
  await home.sh("nacre wait unfinished --prompt --after 0");
  expect((await home.sh(`nacre export ${id} -f json`)).stdout).not.toContain("canary");
});

test("what an agent asks is shown in its words, and answered or declined", async () => {
  const id = await create("-n agents -- bash -c 'read -s x; echo got ${#x}'");
  const socket = String((await home.json("nacre status")).result?.["socket"]);
  const ask = (prompt: string, secret: boolean) =>
    home.sh(
      `curl -sS --unix-socket '${socket}' 'http://localhost/api/terminals/${id}/input-requests' --json '${JSON.stringify({ prompt, secret, wait: true })}'`,
    );
  const shown = (pattern: RegExp) =>
    vi.waitFor(async () => expect((await home.sh("nacre inbox")).stdout).toMatch(pattern), {
      timeout: MAX_MS,
      interval: 100,
    });
  const declined = ask("May I delete the branch?", false);
  await shown(/agents +\S+ +\S+ asks you: May I delete the branch\?/);
  expect((await home.sh("nacre answer agents --decline --note later")).code).toBe(0);
  expect(JSON.parse((await declined).stdout)).toMatchObject({ outcome: "declined", note: "later" });
  const answered = ask("The passphrase", true);
  await shown(/agents +\S+ +\S+ asks you for a secret: The passphrase/);
  expect((await home.sh("nacre answer agents canary-7")).code).toBe(2);
  expect((await home.sh("printf canary-7 | nacre answer agents -")).code).toBe(0);
  expect(JSON.parse((await answered).stdout)).toMatchObject({ outcome: "answered" });
  await home.sh("nacre wait agents --exit --after 0");
  const exported = (await home.sh("nacre export agents -f json")).stdout;
  expect(exported).toContain("got 8");
  expect(exported).not.toContain("canary");
});

test("P-A1: a decision is printed for who asked, and never typed; what lapsed is told until it is dismissed", async () => {
  const id = await create("-n deciding");
  await home.sh("nacre wait deciding --prompt --after 0");
  const asked = home.sh("nacre ask deciding 'Shall I deploy?' --choice yes --choice no");
  await vi.waitFor(
    async () =>
      expect((await home.sh("nacre inbox")).stdout).toMatch(
        /asks you: Shall I deploy\? \[yes\/no\]/,
      ),
    { timeout: MAX_MS, interval: 100 },
  );
  expect((await home.sh("nacre answer deciding perhaps")).code).toBe(2);
  expect((await home.sh("nacre answer deciding yes")).code).toBe(0);
  expect(await asked).toMatchObject({ code: 0, stdout: "yes\n" });
  expect((await home.sh("nacre ask deciding 'Your name' --type")).stderr).toContain("prompt");
  const lapsed = await home.sh("nacre ask deciding 'Still there?' --expires 1ms");
  expect(lapsed.code).toBe(11);
  expect((await home.sh("nacre inbox")).stdout).toMatch(
    /asked you: Still there\? \(lapsed: (nobody answered in time|its program ended)\)/,
  );
  expect((await home.sh("nacre inbox --dismiss")).stdout).not.toContain("Still there");
  const exported = (await home.sh(`nacre export ${id} -f json`)).stdout;
  expect(exported).toContain('"header"');
  expect(exported).not.toContain('"input"');
});

test("P-A1: what no program reads yet is said to be so, and its answer refused", async () => {
  await create("-n early -- sleep 1000");
  const asked = await home.sh("nacre ask early 'Your name' --type --timeout 1ms");
  expect(asked.stderr).toContain("no program reads what is asked for yet");
  expect((await home.sh("nacre inbox")).stdout).toMatch(/Your name \(no program reads it yet\)/);
  const answered = await home.sh("nacre answer early anna");
  expect(answered.stderr).toContain("Answer again once the program reads");
  await home.sh("nacre rm -f early");
});

test("of several questions nobody guesses which is answered: they are listed, and named by their id", async () => {
  const id = await create("-n several -- sleep 1000");
  const socket = String((await home.json("nacre status")).result?.["socket"]);
  const ask = async (prompt: string): Promise<string> => {
    const { stdout } = await home.sh(
      `curl -sS --unix-socket '${socket}' 'http://localhost/api/terminals/${id}/input-requests' --json '${JSON.stringify({ prompt })}'`,
    );
    return (JSON.parse(stdout) as { request: { requestId: string } }).request.requestId;
  };
  const first = (await ask("Which branch?")).slice(0, 8);
  const only = (await home.sh("nacre inbox")).stdout;
  expect(only).toContain("Which branch?");
  expect(only).not.toContain("REQUEST");
  const second = (await ask("Which tag?")).slice(0, 8);
  const { stdout } = await home.sh("nacre inbox");
  expect(stdout).toMatch(new RegExp(`several .* ${first} +\\S+ asks you: Which branch\\?`));
  expect(stdout).toMatch(new RegExp(`several .* ${second} +\\S+ asks you: Which tag\\?`));
  const refused = await home.sh("nacre answer several v1");
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain(`${first} (Which branch?), ${second} (Which tag?)`);
  const named = await home.sh(`nacre answer several v1 --request ${second}`);
  expect(named).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^Answered \S+: Which tag\?$/m),
  });
  expect((await home.sh(`nacre answer several --request ${second} x`)).code).toBe(1);
  const last = await home.sh("nacre answer several main");
  expect(last).toMatchObject({ code: 0, stdout: expect.stringContaining("Which branch?") });
  await home.sh("nacre rm -f several --now");
});

test("who asks for control is answered", async () => {
  const token = (await home.sh("nacre tokens create helper --scope operator")).stdout.trim();
  const id = await create("-n shared");
  const asking = home.json(`nacre claim ${id} --ask --timeout 30s`, { NACRE_TOKEN: token });
  await vi.waitFor(
    async () => expect((await home.sh("nacre inbox")).stdout).toMatch(/shared .*asks for control/),
    { timeout: MAX_MS, interval: 100 },
  );
  expect((await home.sh("nacre answer shared --grant")).stdout).toMatch(/^Held by .*helper/);
  expect(await asking).toMatchObject({ ok: true, result: { outcome: "granted" } });
  expect((await home.sh("nacre claim shared")).stdout).toMatch(/#cli\.\n$/);
  expect((await home.sh("nacre release shared")).stdout).toMatch(/helper/);
});

test("what others wrote cannot act on the terminal of who reads it", async () => {
  const evil = String.raw`$(printf 'x\033]0;owned\007\342\200\256')`;
  await home.sh(`nacre new -n "$(printf 'n\\302\\233m')"`);
  await home.sh(`nacre send shell "echo ${evil}" -e -w`);
  for (const line of ["ls", "show shell", "history shell", "screen shell", "who shell", "inbox"]) {
    const { stdout, stderr } = await home.sh(`nacre ${line}`);
    // oxlint-disable-next-line no-control-regex -- these are what must not be there
    expect(stdout + stderr).not.toMatch(/[\u0000-\u0009\u000B-\u001F\u007F-\u009F\u202E]/);
  }
});

test("colours are for terminals, or for who asks for them", async () => {
  const COLOR = "\u001B[";
  expect((await home.sh("nacre ls")).stdout).not.toContain(COLOR);
  expect((await home.sh("nacre ls --color always")).stdout).toContain(COLOR);
  expect((await home.sh("nacre ls", { CLICOLOR_FORCE: "1" })).stdout).toContain(COLOR);
  const both = { CLICOLOR_FORCE: "1", NO_COLOR: "1" };
  expect((await home.sh("nacre ls", both)).stdout).not.toContain(COLOR);
  expect((await home.sh("nacre ls --json --color always")).stdout).not.toContain(COLOR);
});

test("a search that finds nothing ends as grep does", async () => {
  await home.sh('nacre send shell "echo needle-$((40 + 2)); false" -e -w');
  const found = await vi.waitFor(
    async () => {
      const ran = await home.sh("nacre search needle-42 --exit fail -B 1 -t shell");
      expect(ran.code).toBe(0);
      return ran.stdout;
    },
    { timeout: MAX_MS, interval: 100 },
  );
  expect(found).toMatch(/^\S+:\d+:needle-42$/m);
  expect((await home.sh("nacre search needle-42 --exit ok")).code).toBe(1);
  expect((await home.sh("nacre search needle-42 --since 2099-01-01")).code).toBe(1);
  expect((await home.sh("nacre search needle-42 --exit perhaps")).code).toBe(2);
});

test("a recording goes out as a cast that only its user can read, comes back, and is proven", async () => {
  await home.sh("nacre export shell -o shell.cast");
  const file = join(home.work, "shell.cast");
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(JSON.parse(readFileSync(file, "utf8").split("\n")[0] ?? "")).toMatchObject({ version: 3 });
  const id = (await home.sh("nacre import shell.cast")).stdout.trim();
  expect((await home.sh(`nacre verify ${id}`)).code).toBe(0);
  expect((await home.sh("nacre ls -a")).stdout).toContain(id.slice("terminal:".length, 17));
  expect((await home.sh(`nacre rm ${id}`)).code).toBe(0);
  expect((await home.sh("nacre import nothing.cast")).code).toBe(2);
  expect((await home.sh("nacre export shell --json")).code).toBe(2);
});

test("nothing is removed without a word", async () => {
  expect((await home.sh("nacre prune")).code).toBe(2);
  expect((await home.sh("nacre prune --keep-last 0")).code).toBe(2);
  expect((await home.sh("nacre rm shell")).code).toBe(1);
  expect((await home.json("nacre prune --keep-last 0 --dry-run")).result).toMatchObject({
    dryRun: true,
  });
  expect((await home.sh("nacre who shell")).code).toBe(0);
});

test.for(["bash", "zsh", "fish"])("%s understands its completion", async (shell, context) => {
  requireProgram(context, shell);
  const { code, stderr } = await home.sh(
    `nacre completion ${shell} > script.${shell} && ${shell} -n script.${shell}`,
  );
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
});

test("bash offers verbs, options, choices and terminals", async () => {
  const offered = async (...words: readonly string[]): Promise<readonly string[]> => {
    const line = `eval "$(nacre completion bash)"; COMP_WORDS=(nacre ${words.map((word) => `'${word}'`).join(" ")}); COMP_CWORD=${words.length}; _nacre; printf '%s\\n' "\${COMPREPLY[@]}"`;
    return (await home.sh(`exec bash -c ${quoted(line)}`)).stdout.trim().split("\n");
  };
  expect(await offered("ver")).toEqual(["verify", "version"]);
  expect(await offered("ls", "--a")).toEqual(["--all"]);
  expect(await offered("screen", "--format", "s")).toEqual(["svg"]);
  expect(await offered("show", "she")).toEqual(["shell"]);
});

const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;
