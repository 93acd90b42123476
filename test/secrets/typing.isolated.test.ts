// How a secret is typed does not matter; where nobody can know that it is one, whoever types it has to say so.
import { LOCAL_CALLER, type Terminal } from "@nacre/host";
import { afterAll, describe, expect, test } from "vitest";
import { requireProgram } from "../../packages/host/src/testing/require-program.ts";
import { newCanary } from "../support/canary.ts";
import { entriesOf } from "../support/recorded-entries.ts";
import { shellNamed, shLine } from "../support/terminal-input.ts";
import { DEADLINE_MS, type, untilText } from "../support/terminal-output.ts";
import { WatchedHost } from "./watched-host.ts";

const watched = await WatchedHost.open();
const { host } = watched;
afterAll(() => watched[Symbol.asyncDispose]());

const hidden: string[] = [];
const shown: string[] = [];

function newHidden(): string {
  const secret = newCanary();
  hidden.push(secret);
  return secret;
}

function newShown(): string {
  const secret = newCanary();
  shown.push(secret);
  return secret;
}

const untilPrompt = async (terminal: Terminal, after?: number): Promise<number> => {
  const until = [{ kind: "prompt" } as const];
  return (await terminal.wait({ until, after, timeoutMs: DEADLINE_MS })).sequence;
};

async function typeKeys(terminal: Terminal, keys: string): Promise<void> {
  for (const key of keys) await type(terminal, key);
}

const SHELLS = [
  ["bash", "read -rs -p 'Password: ' x"],
  ["zsh", "read -rs 'x?Password: '"],
  ["fish", "read -s -P 'Password: ' x"],
] as const;

test.for([
  "read -s x",
  "read -s -P 'Give it: ' x; echo got",
  "read -s x; echo (string length $x)",
  "set -l p (read -s)",
  "read -s x | cat",
])(
  "P-A1: a secret for %j of fish, which says no word of it, is nowhere, and may be the answer to a question",
  async (line, context) => {
    requireProgram(context, "fish");
    const secret = newHidden();
    const terminal = await host.createTerminal(shellNamed("fish"));
    await untilPrompt(terminal);
    await type(terminal, `${line}\r`);
    const until = [{ kind: "inputNeeded" } as const];
    const { inputNeeded, sequence } = await terminal.wait({ until, timeoutMs: DEADLINE_MS });
    expect(inputNeeded?.kind).toBe("secret");
    const { requestId } = await terminal.inputRequests.ask({ prompt: "a code", by: LOCAL_CALLER });
    await terminal.inputRequests.answer({ requestId, by: LOCAL_CALLER, text: secret });
    await untilPrompt(terminal, sequence);
    expect(await watched.placesOf(secret, terminal)).toEqual([]);
  },
);

test("P-A1: what is typed where `read -s` of fish may be one of several reads is not recorded", async (context) => {
  requireProgram(context, "fish");
  const secret = newHidden();
  const terminal = await host.createTerminal(shellNamed("fish"));
  const prompt = await untilPrompt(terminal);
  await type(terminal, "read name; read -s x; echo got (string length $x)\r");
  await terminal.wait({ until: [{ kind: "inputNeeded" }], timeoutMs: DEADLINE_MS });
  await type(terminal, "me\r");
  await untilText(terminal, "me", prompt);
  await terminal.wait({ until: [{ kind: "inputNeeded" }], timeoutMs: DEADLINE_MS });
  await type(terminal, `${secret}\r`);
  await untilText(terminal, "got 24", prompt);
  expect(await watched.placesOf(secret, terminal)).toEqual([]);
});

describe("P-A1: nothing of an answer is run", () => {
  const by = LOCAL_CALLER;

  test.for([
    ["a second line", "main\necho ran", "a line break at byte 4"],
    ["a carriage return", "main\recho ran\r", "a line break at byte 4"],
    ["Ctrl-C", "x\u0003echo ran", "a control character at byte 1"],
    ["CSI", "x\u009b2~", "a control character at byte 1"],
  ])("with %s", async ([, text = "", what = ""]) => {
    const terminal = await host.createTerminal(shellNamed("bash"));
    await untilPrompt(terminal);
    await type(terminal, "read -rp 'Branch? ' b; echo on $b\r");
    const { sequence } = await terminal.wait({
      until: [{ kind: "inputNeeded" }],
      timeoutMs: DEADLINE_MS,
    });
    const { requestId } = await terminal.inputRequests.ask({ prompt: "Which?", kind: "type", by });
    const refused = {
      code: "invalid_argument",
      field: "text",
      message: expect.stringContaining(what),
    };
    const answer = terminal.inputRequests.answer({ requestId, by, text });
    await expect(answer).rejects.toMatchObject(refused);
    await expect(
      terminal.sendInput({ data: `${text}\r`, expects: "line" }, by),
    ).rejects.toMatchObject({ ...refused, field: "data" });
    await terminal.inputRequests.answer({ requestId, by, text: "main\n" });
    await untilText(terminal, "on main", sequence);
    const commands = await terminal.commands.list();
    expect(commands.map(({ commandLine }) => commandLine)).toEqual([
      "read -rp 'Branch? ' b; echo on $b",
    ]);
  });

  test.for([
    ["dash", "dash"],
    ["bash without its markers", "bash --norc --noprofile"],
    ["a shell with a terminal of its own", "script -q -c dash /dev/null"],
  ])("in %s", async ([, line = ""], context) => {
    requireProgram(context, line.split(" ")[0] ?? "");
    const terminal = await host.createTerminal({ ...shellNamed("bash"), env: { PS1: "inner$ " } });
    const prompt = await untilPrompt(terminal);
    await type(terminal, `env PS1='inner$ ' ${line}\r`);
    await untilText(terminal, "inner$ ", prompt + 1);
    await terminal.wait({ until: [{ kind: "inputNeeded" }], timeoutMs: DEADLINE_MS });
    const ask = terminal.inputRequests.ask({ prompt: "which?", kind: "type", by });
    await expect(ask).rejects.toMatchObject({ code: "conflict", field: "kind" });
    await expect(
      terminal.sendInput({ data: "echo ran\r", expects: "line" }, by),
    ).rejects.toMatchObject({ code: "conflict" });
  });
});

test("P-A1: a secret for `read -s` in a function of fish is refused, and it is said what can be done", async (context) => {
  requireProgram(context, "fish");
  const secret = newHidden();
  const terminal = await host.createTerminal(shellNamed("fish"));
  await untilPrompt(terminal);
  const line = { commandLine: "function ask; read -s x; end" };
  await terminal.runCommand(line, LOCAL_CALLER);
  await type(terminal, "ask\r");
  await terminal.wait({ until: [{ kind: "inputNeeded" }], timeoutMs: DEADLINE_MS });
  const by = LOCAL_CALLER;
  const asked = await terminal.inputRequests.ask({ prompt: "a code", secret: true, by });
  const { requestId } = asked;
  const answer = terminal.inputRequests.answer({ requestId, by, text: secret });
  await expect(answer).rejects.toMatchObject({
    code: "conflict",
    suggestion: expect.stringContaining("`sensitive`"),
  });
  await terminal.write(`${secret}\r`, { by, sensitive: true });
  expect((await terminal.inputRequests.outcome(requestId, by)).outcome).toBe("pending");
  expect(await watched.placesOf(secret, terminal)).toEqual([]);
});

describe.for(SHELLS)("in %s", ([shell, line]) => {
  test.for([
    ["key by key", typeKeys],
    ["in one piece", type],
  ] as const)(
    "a secret that a command asks for is nowhere when typed %s",
    async ([, send], context) => {
      requireProgram(context, shell);
      const secret = newHidden();
      const terminal = await host.createTerminal(shellNamed(shell));
      const prompt = await untilPrompt(terminal);
      await type(terminal, `${line}\r`);
      const asked = await untilText(terminal, "Password: ", prompt);
      const until = [{ kind: "inputNeeded" } as const];
      const waited = await terminal.wait({ until, timeoutMs: DEADLINE_MS });
      expect(waited.inputNeeded?.kind).toBe("secret");
      await send(terminal, `${secret}\r`);
      const ended = await untilPrompt(terminal, asked);
      await type(terminal, "echo after\r");
      await untilPrompt(terminal, ended);
      expect(await watched.placesOf(secret, terminal)).toEqual([]);
      const commands = await terminal.commands.list();
      expect(commands.map(({ commandLine }) => commandLine)).toEqual([line, "echo after"]);
      await terminal.kill(LOCAL_CALLER, 0);
    },
  );
});

test("a secret and what follows it in the same message are withheld together", async () => {
  const secret = newHidden();
  const line = "stty -echo; echo ready; read -r x; stty echo; read -r y; echo got ${#x} $y";
  const terminal = await host.createTerminal(shLine(line));
  await untilText(terminal, "ready");
  await type(terminal, `${secret}\rmore\r`);
  await untilText(terminal, "got 24 more");
  expect(await watched.placesOf(secret, terminal)).toEqual([]);
  const inputs = (await entriesOf(host, terminal.id)).filter((entry) => entry.type === "input");
  expect(inputs).toMatchObject([{ redacted: true, lengthBucket: "9-32", by: "local" }]);
});

/** Draws so much for each key that what it asked with is far away. */
const DRAWING = `stty raw -echo; printf 'Password: '
  for i in $(seq 25); do
    dd bs=1 count=1 >/dev/null 2>&1; printf '\\033[s\\033[9;1H%200s\\033[u*' drawn
  done; echo got it`;

test("a secret is one to its end, whatever is drawn meanwhile", async () => {
  const secret = newHidden();
  const terminal = await host.createTerminal(shLine(DRAWING));
  let drawn = await untilText(terminal, "Password: ");
  for (const key of `${secret}\r`) {
    await type(terminal, key);
    drawn = await untilText(terminal, "drawn", drawn);
  }
  await untilText(terminal, "got it");
  expect(await watched.placesOf(secret, terminal)).toEqual([]);
});

/** Takes single keys without a word, as every editor does. */
const WORDLESS = "stty raw -echo; echo ready; head -c 25 | wc -c";

test("whoever says that it is a secret is believed where nobody can tell", async () => {
  const secret = newHidden();
  const terminal = await host.createTerminal(shLine(WORDLESS));
  await untilText(terminal, "ready");
  await terminal.write(`${secret}\r`, { by: LOCAL_CALLER, sensitive: true });
  await untilText(terminal, "25");
  expect(await watched.placesOf(secret, terminal)).toEqual([]);
});

test.for(SHELLS)(
  "P-A1: a secret is refused at the prompt of %s and in an unfinished line, which would show it",
  async ([shell], context) => {
    requireProgram(context, shell);
    const secret = newHidden();
    const terminal = await host.createTerminal(shellNamed(shell));
    await untilPrompt(terminal);
    const write = () => terminal.write(`x=${secret}\r`, { by: LOCAL_CALLER, sensitive: true });
    await expect(write()).rejects.toMatchObject({ code: "conflict" });
    await type(terminal, "echo 'open\r");
    // fish edits the whole in its prompt; the others show another one for the rest of the line.
    const until = [
      shell === "fish" ? ({ kind: "prompt" } as const) : ({ kind: "inputNeeded" } as const),
    ];
    await terminal.wait({ until, timeoutMs: DEADLINE_MS });
    await expect(write()).rejects.toMatchObject({ code: "conflict" });
    expect(await watched.placesOf(secret, terminal)).toEqual([]);
    await terminal.kill(LOCAL_CALLER, 0);
  },
);

describe("what cannot be known, and is recorded unless whoever types says that it is a secret", () => {
  test("a program that takes single keys and does not say what for", async () => {
    const secret = newShown();
    const terminal = await host.createTerminal(shLine(WORDLESS));
    await untilText(terminal, "ready");
    await typeKeys(terminal, `${secret}\r`);
    await untilText(terminal, "25");
    expect(await watched.placesOf(secret, terminal)).toContain("input");
  });

  test("a secret that is typed before the program asks for it", async () => {
    const secret = newShown();
    const line = "echo ready; read -r go; stty -echo; read -r x; echo got ${#x}";
    const terminal = await host.createTerminal(shLine(line));
    await untilText(terminal, "ready");
    await type(terminal, `go\r${secret}\r`);
    await untilText(terminal, "got 24");
    const places = await watched.placesOf(secret, terminal);
    expect(places).toContain("input");
    expect(places).toContain("output");
  });
});

test("what is no secret is found in every place that was looked at", async () => {
  const word = newShown();
  const terminal = await host.createTerminal(shellNamed("bash"));
  const prompt = await untilPrompt(terminal);
  await typeKeys(terminal, `echo ${word}\r`);
  await untilPrompt(terminal, prompt);
  expect(await watched.placesOf(word, terminal)).toEqual([
    "input",
    "output",
    "entries",
    "commands",
    "terminal",
    "screen",
    "content",
    "search",
  ]);
});

test("of all that, only what is no secret is in events and files", async () => {
  const { events, problems, files } = await watched.close([...hidden, ...shown]);
  expect(problems).toEqual([]);
  expect(events).toEqual(shown);
  expect(files).toEqual(shown);
});
