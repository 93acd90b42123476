// Whatever asks for a secret in a way that can be known: what is typed then is nowhere afterwards.
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import { LOCAL_CALLER } from "@nacre/host";
import { afterAll, expect, test } from "vitest";
import { hasProgram, requireProgram } from "../../packages/host/src/testing/require-program.ts";
import { newCanary } from "../support/canary.ts";
import { ownDirectory } from "../support/own-directory.ts";
import { OWNER } from "../support/terminal-input.ts";
import { DEADLINE_MS, type, untilText } from "../support/terminal-output.ts";
import { type Prompt, PROMPTS } from "./prompts.ts";
import { WatchedHost } from "./watched-host.ts";

const watched = await WatchedHost.open();
afterAll(() => watched[Symbol.asyncDispose]());

const server = createServer((_request, response) => {
  response.writeHead(401, { "WWW-Authenticate": 'Basic realm="some"' }).end();
}).listen(0, "127.0.0.1");
await once(server, "listening");
afterAll(() => server.close());

const secrets: string[] = [];

/** Starts a program and comes back when it asks. */
async function ask({ start, before, asks }: Prompt, directory: string, secret: string) {
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  const [command = "", ...args] = start({ directory, server: `http://127.0.0.1:${port}`, secret });
  const env = { HOME: directory, GIT_CONFIG_NOSYSTEM: "1" };
  const terminal = await watched.host.createTerminal({
    owner: OWNER,
    workingDirectory: directory,
    command,
    args,
    env,
  });
  if (before) {
    const [question, answer] = before;
    await untilText(terminal, question);
    await type(terminal, `${answer}\r`);
  }
  return { terminal, asked: await untilText(terminal, asks) };
}

test.for(PROMPTS)(
  "$name: a secret that somebody answers with is nowhere",
  async (prompt, context) => {
    for (const program of prompt.needs) {
      if (!prompt.isRare) requireProgram(context, program);
      // Installing these would take longer than all tests; the other kinds of prompt are asked everywhere, CI included.
      else if (!hasProgram(program)) context.skip(`${program} is not installed`);
    }
    using own = ownDirectory();
    const directory = own.path;
    const secret = newCanary();
    secrets.push(secret);
    try {
      const { terminal, asked } = await ask(prompt, directory, secret);
      // Before it asked, it may have been seen to wait for a key.
      const needed = (): unknown => terminal.summary.inputNeeded?.kind;
      await expect.poll(needed, { timeout: DEADLINE_MS }).toBe("secret");
      const question = { by: LOCAL_CALLER, prompt: "the password", secret: true };
      const { requestId } = await terminal.inputRequests.ask(question);
      await terminal.inputRequests.answer({ requestId, by: LOCAL_CALLER, text: secret });
      await untilText(terminal, prompt.says, asked);
      await terminal.kill(LOCAL_CALLER, 0).catch(() => undefined);
      await terminal.ended;
      expect(await watched.placesOf(secret, terminal)).toEqual([]);
    } finally {
      // What asks for gpg stays behind otherwise.
      spawnSync("gpgconf", ["--homedir", directory, "--kill", "all"]);
    }
  },
);

test("no secret is in an event, a problem or a file", async () => {
  expect(secrets.length).toBeGreaterThanOrEqual(12);
  expect(await watched.close(secrets)).toEqual({ events: [], problems: [], files: [] });
});
