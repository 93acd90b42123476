import assert from "node:assert/strict";
import type { NacreClient } from "@nacre/client";
import { OPERATIONS, type TerminalId } from "@nacre/contracts";
import type { Secrets } from "./secret-places.ts";

const until = (text: string) => [{ kind: "text" as const, text }];

/** Who asks, and where secrets that come back are remembered. */
export interface AskingParts {
  readonly operator: NacreClient;
  readonly agent: NacreClient;
  readonly secrets: Secrets;
}

/** Asks for every operation there is, with success; every secret that comes back is remembered. */
export async function askForEverything(parts: AskingParts): Promise<void> {
  const asked = new Set<string>();
  const noting = (client: NacreClient): NacreClient =>
    new Proxy(client, {
      get: (target, name): unknown => {
        asked.add(String(name));
        return Reflect.get(target, name);
      },
    });
  const client = noting(parts.operator);
  const id = await driveTerminal(client);
  await runCommands(client);
  await moveClaims(client, noting(parts.agent));
  await changeCredentials(client, parts.secrets);
  await endTerminals(client, id);
  const left = Object.keys(OPERATIONS).filter((name) => !asked.has(name));
  assert.deepEqual(left, [], "operations that were not asked for");
}

async function driveTerminal(client: NacreClient): Promise<TerminalId> {
  const { id } = await client.createTerminal({ command: "/bin/cat" });
  await client.renameTerminal({ id, title: "driven" });
  await client.sendInput({ id, data: "typed\n" });
  await client.pasteText({ id, text: "pasted\n" });
  await client.waitFor({ id, until: until("pasted"), after: 0 });
  await client.resizeTerminal({ id, cols: 90, rows: 20 });
  await client.clearTerminal({ id });
  await client.markRecording({ id, label: "here" });
  await client.signalTerminal({ id, signal: "SIGWINCH" });
  await client.listTerminals({});
  await client.readTerminal({ id });
  await client.readOutput({ id });
  await client.readScreen({ id });
  await client.findRecordingEntries({ terminalId: id });
  await client.searchRecordings({ text: "pasted" });
  await client.listRecordings({});
  await client.readTimeline({ id });
  await client.verifyRecording({ id });
  const exported = await client.exportRecording({ id });
  await client.importRecording({}, await new Response(exported.bytes).blob());
  return id;
}

async function runCommands(client: NacreClient): Promise<void> {
  const { id } = await client.createTerminal({ shell: "bash" });
  const { command } = await client.runCommand({ id, commandLine: "echo one" });
  assert.ok(command, "the shell does not report its commands");
  await client.listCommands({ id });
  await client.readCommand({ id, commandId: command.commandId });
  await client.execCommand({ commandLine: "echo two" });
}

async function moveClaims(operator: NacreClient, agent: NacreClient): Promise<void> {
  const { id } = await agent.createTerminal({ command: "/bin/cat" });
  await agent.sendInput({ id, data: "hello\n" });
  await operator.moveClaim({ id });
  await agent.readClaim({ id });
  const { request } = await agent.requestControl({ id });
  await operator.answerControl({ id, requestId: request.requestId, grant: true });
  await agent.handBackClaim({ id });
  const asked = await agent.requestInput({ id, prompt: "a name" });
  await operator.answerInput({ id, requestId: asked.request.requestId, text: "anna" });
  await agent.readInputRequest({ id, requestId: asked.request.requestId });
  const another = await agent.requestInput({ id, prompt: "another name" });
  await agent.withdrawInput({ id, requestId: another.request.requestId });
}

async function changeCredentials(client: NacreClient, secrets: Secrets): Promise<void> {
  await client.readHost({});
  await client.changeLimits({ maxTerminals: 500 });
  secrets.add("a new token", (await client.createToken({ name: "new", scope: "readOnly" })).token);
  secrets.add("a renewed token", (await client.rotateToken({ name: "new" })).token);
  await client.revokeToken({ name: "new" });
  await client.listTokens({});
  secrets.add("an unused ticket", (await client.createTicket({ path: "/api/x" })).ticket);
  await client.listAudit({});
}

async function endTerminals(client: NacreClient, id: TerminalId): Promise<void> {
  const { id: other } = await client.createTerminal({ command: "/bin/cat" });
  await client.killTerminal({ id: other, graceMs: 0 });
  await client.disposeTerminal({ id });
  await client.disposeTerminals({ owner: { entityName: "Task", entityId: "gone" } });
  await client.deleteRecording({ id });
  await client.pruneRecordings({ keepLast: 1000 });
}
