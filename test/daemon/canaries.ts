// Secrets that are given to a daemon on every way there is, and then looked for.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { connect, type NacreClient } from "@nacre/client";
import type { TerminalId } from "@nacre/contracts";
import { z } from "zod";
import { newCanary } from "../support/canary.ts";
import { DaemonProcess, runCli } from "../support/daemon-process.ts";
import { ownDirectory } from "../support/own-directory.ts";
import { askForEverything } from "./every-operation.ts";
import { megabytes } from "./plan.ts";
import { openStream } from "./raw-connection.ts";
import { Secrets, SecretSearch } from "./secret-places.ts";
import { typeSecrets } from "./typed-secrets.ts";
import { beRefused, failWithin } from "./wrong-requests.ts";

const OPERATOR = "the operator's token";

/** Uses a daemon with many secrets; throws when one is found where it should not be. */
export async function lookForSecrets(): Promise<string> {
  using home = ownDirectory();
  using elsewhere = ownDirectory();
  const secrets = new Secrets();
  const password = secrets.add("the password of the terminal service", newCanary());
  const env = { NACRE_CONFIG: join(elsewhere.path, "config.json") };
  const config = JSON.stringify({ terminalServicePassword: password });
  writeFileSync(env.NACRE_CONFIG, config, { mode: 0o600 });
  const flags = ["--log", "debug"];
  await using daemon = await DaemonProcess.start({ home: home.path, env, flags });
  secrets.add(OPERATOR, daemon.token);
  const open = await typeInTheOpen(daemon.client());
  const events = await openStream(daemon, "/api/events?channel=*");
  const heard: Buffer[] = [];
  events.on("data", (chunk: Buffer) => heard.push(chunk)).resume();
  const agent = await makeAgent(daemon, secrets);
  await askForEverything({ operator: daemon.client(), agent, secrets });
  const serviceToken = secrets.add("a login", await logIn(daemon, password));
  const parts = { daemon, client: daemon.client(), secrets, serviceToken };
  const id = await typeSecrets(parts);
  await beRefused(daemon, secrets);
  const search = new SecretSearch(secrets);
  await lookAtAnswers(search, daemon, id);
  for (const args of [["config"], ["config", "--json"], ["doctor"], ["status"]]) {
    const { out, error } = await runCli(args, { home: home.path, env });
    search.look(`nacre ${args.join(" ")}`, out + error, OPERATOR);
  }
  const processes = search.lookAtProcesses(daemon);
  assert.ok(processes > 2, "no program runs whose environment could be looked at");
  await failWithin(daemon);
  search.lookAtFiles(daemon, OPERATOR);
  const proof = new SecretSearch(open);
  proof.lookAtFiles(daemon, OPERATOR);
  assert.ok(proof.found.length > 0, "not even what was typed in the open is found");
  const { code } = await daemon.end("SIGTERM");
  assert.equal(code, 0, daemon.said.error);
  search.lookAtFiles(daemon, OPERATOR);
  search.lookAtWords(daemon);
  search.look("the events", Buffer.concat(heard));
  assert.deepEqual([...new Set(search.found)], []);
  return `${secrets.count} secrets, none of them in ${megabytes(search.bytes)} of logs, files, answers, arguments and environments of ${processes} processes`;
}

/** Types something that may be seen, which must be found afterwards. */
async function typeInTheOpen(client: NacreClient): Promise<Secrets> {
  const secrets = new Secrets();
  const text = secrets.add("what was typed in the open", newCanary());
  const { id } = await client.createTerminal({ command: "/bin/cat" });
  await client.sendInput({ id, data: `${text}\n` });
  const { outcome } = await client.waitFor({ id, until: [{ kind: "text", text }], after: 0 });
  assert.equal(outcome, "text");
  return secrets;
}

/** An agent with a token of its own, which may not do everything. */
async function makeAgent(daemon: DaemonProcess, secrets: Secrets): Promise<NacreClient> {
  const made = await daemon.client().createToken({ name: "agent", scope: "agent" });
  const token = secrets.add("the token of an agent", made.token);
  const agent = connect({ url: daemon.url, token });
  const refused = { code: "forbidden" };
  await assert.rejects(agent.listTokens({}), refused);
  await assert.rejects(agent.createToken({ name: "more", scope: "operator" }), refused);
  return agent;
}

async function logIn({ url, token }: DaemonProcess, password: string): Promise<string> {
  const response = await fetch(`${url}/api/terminal/auth`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ password }),
  });
  const answer = Login.parse(await response.json());
  return answer.data.token;
}

const Login = z.object({ data: z.object({ token: z.string().startsWith("term-") }) });

/** What the operator is told about a terminal and about everything. */
async function lookAtAnswers(
  search: SecretSearch,
  daemon: DaemonProcess,
  id: TerminalId,
): Promise<void> {
  const client = daemon.client();
  const raw = { terminalId: id, limit: 1000, view: "raw" } as const;
  const answers = {
    "the recording": await client.findRecordingEntries(raw),
    "the screen": await client.readScreen({ id }),
    "the terminal": await client.readTerminal({ id }),
    "the audit": await client.listAudit({ limit: 1000 }),
    "the tokens": await client.listTokens({}),
    "the host": await client.readHost({}),
  };
  for (const [place, answer] of Object.entries(answers)) search.look(place, JSON.stringify(answer));
  const headers = { authorization: `Bearer ${daemon.token}` };
  search.look("the metrics", await (await fetch(`${daemon.url}/metrics`, { headers })).text());
}
