// Secrets that are given at random moments around a program's read: each reaches the program unseen, or is refused.
import assert from "node:assert/strict";
import { setTimeout as pause } from "node:timers/promises";
import type { NacreClient } from "@nacre/client";
import { NacreError, type TerminalId } from "@nacre/contracts";
import { hasProgram } from "../../packages/host/src/testing/require-program.ts";
import { newCanary } from "../support/canary.ts";
import { DaemonProcess } from "../support/daemon-process.ts";
import { ownDirectory } from "../support/own-directory.ts";
import { Random } from "../support/random.ts";
import type { Run } from "../support/target.ts";
import { megabytes, type DaemonPlan } from "./plan.ts";
import { Secrets, SecretSearch } from "./secret-places.ts";

const SHELLS = ["bash", "zsh", "fish"] as const;

/** Asks for a secret for a moment, and goes on whether or not somebody gave one; nothing of it stays in the history of a shell. */
const ASKING = ` bash -c 'sleep 0.05; read -rs -t 0.1 -p "Password: " x; sleep 0.02'`;

/** Where shells keep what they ran, which no host can do anything about. */
const HISTORY = /(?:fish_history|\.zsh_history|\.bash_history)$/;

/** The whole of it takes about so long; answers come within this and a bit more. */
const MOMENT_MS = 260;

const PATIENCE_MS = 60_000;

type Give = (client: NacreClient, id: TerminalId, secret: string) => Promise<unknown>;

/** The ways by which a secret is given. */
const WAYS: readonly Give[] = [
  async (client, id, text) => {
    const { request } = await client.requestInput({ id, prompt: "the password", secret: true });
    const { requestId } = request;
    try {
      await client.answerInput({ id, requestId, text });
    } finally {
      await client.withdrawInput({ id, requestId });
    }
  },
  (client, id, secret) => client.sendInput({ id, data: `${secret}\r`, expects: "secret" }),
  (client, id, secret) => client.sendInput({ id, data: `${secret}\r`, sensitive: true }),
];

/** Gives secrets at random moments in each shell; throws when one left a trace. */
export async function answerAtRandom({ timings }: DaemonPlan, { seed }: Run) {
  using home = ownDirectory();
  await using daemon = await DaemonProcess.start({ home: home.path, flags: ["--log", "debug"] });
  const secrets = new Secrets();
  const random = new Random(seed);
  const counts = { typed: 0, refused: 0 };
  const shells = SHELLS.filter((shell) => hasProgram(shell));
  for (const shell of shells) await inShell(shell);
  const search = new SecretSearch(secrets);
  await daemon.end("SIGTERM");
  search.lookAtFiles(daemon, "");
  search.lookAtWords(daemon);
  // A program that gives up reading at the very moment leaves what was typed to its shell, which is told here.
  const [found, ran] = [false, true].map((isShells) => [
    ...new Set(search.found.filter((place) => HISTORY.test(place) === isShells)),
  ]);
  assert.deepEqual(found, []);
  assert.ok(counts.refused > 0, "no moment was wrong");
  return `${counts.typed} typed unseen (${ran?.length} of them left to the shell by a program that gave up), ${counts.refused} refused in ${shells.join(", ")}; none of ${secrets.count} in ${megabytes(search.bytes)} of files and logs`;

  async function inShell(shell: string): Promise<void> {
    const client = daemon.client();
    const { id } = await client.createTerminal({ shell });
    let after = await prompted(client, id, 0);
    for (let count = 0; count < timings; count++) {
      const secret = secrets.add(`secret ${count} in ${shell}`, newCanary());
      await client.sendInput({ id, data: `${ASKING}\r` });
      await pause(random.between(0, MOMENT_MS));
      const give = WAYS[count % WAYS.length] ?? WAYS[0];
      await give?.(client, id, secret).then(
        () => counts.typed++,
        (error: unknown) => {
          assert.ok(error instanceof NacreError && error.code === "conflict", String(error));
          counts.refused++;
        },
      );
      after = await prompted(client, id, after);
    }
    const raw = await client.findRecordingEntries({ terminalId: id, limit: 1000, view: "raw" });
    assert.deepEqual(secrets.in(JSON.stringify(raw)), [], `${shell}: in the answer of a page`);
  }
}

/** Resolves with where the shell is at its prompt again. */
async function prompted(client: NacreClient, id: TerminalId, after: number): Promise<number> {
  const until = [{ kind: "prompt" } as const];
  const { outcome, sequence } = await client.waitFor({ id, until, after, timeoutMs: PATIENCE_MS });
  assert.equal(outcome, "prompt");
  return sequence;
}
