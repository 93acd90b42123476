// Many clients that want the same terminal at the same time, and what its recording says of it.
import { once } from "node:events";
import { createReadStream, statSync } from "node:fs";
import { join } from "node:path";
import { createHash } from "node:crypto";
import type { NacreClient } from "@nacre/client";
import { type CallerId, NacreError, TerminalId } from "@nacre/contracts";
import { seededRandom } from "../support/random.ts";
import { type Run, times } from "../support/target.ts";
import { waitUntil } from "../support/wait-until.ts";
import { OwnHome } from "./own-home.ts";
import { bytesOf, entriesOf } from "./recorded-output.ts";

const CLIENTS = 50;
const RACES = 1000;

/** How many of those who lost type all the same. */
const STUBBORN = 3;

const ID = TerminalId.parse("terminal:wanted");

/** Who may be refused: somebody else was first. */
const BEATEN: readonly string[] = ["conflict", "claim_held"];

interface Racer {
  readonly name: string;
  readonly client: NacreClient;
}

/** Races for one terminal; throws when two have held it at once, or somebody typed who did not hold it. */
export async function measureClaims({ scale, seed, progress }: Run): Promise<string> {
  const races = times(RACES, scale);
  const random = seededRandom(seed);
  await using home = new OwnHome();
  await home.start();
  const operator = home.client();
  const racers = await Promise.all(
    Array.from({ length: CLIENTS }, async (_, index): Promise<Racer> => {
      const name = `racer-${index}`;
      const { token } = await operator.createToken({ name, scope: "operator" });
      return { name, client: home.client(token) };
    }),
  );
  const received = join(home.work, "received");
  await operator.createTerminal({
    id: ID,
    command: "/bin/sh",
    args: ["-c", 'stty raw -echo; echo ready; exec cat >"$0"', received],
    workingDirectory: home.work,
    env: home.env,
    inputPolicy: "holder",
    inputRecording: "full",
  });
  await operator.waitFor({ id: ID, until: [{ kind: "text", text: "ready" }], after: 0 });
  let holder = racers[0] as Racer;
  let { epoch } = await holder.client.moveClaim({ id: ID });
  let typed = 0;
  for (let race = 0; race < races; race++) {
    const type = async ({ name, client }: Racer, under: number): Promise<boolean> =>
      await isTaken(client.sendInput({ id: ID, data: `${name} ${under};`, epoch: under }));
    // Who holds it goes on typing while all the others want it, itself among them.
    const before = type(holder, epoch);
    const won = await Promise.all(
      racers.map(({ client }) => isTaken(client.moveClaim({ id: ID, epoch }))),
    );
    const winners = racers.filter((racer, index) => won[index] && racer !== holder);
    if (winners.length !== 1) throw new Error(`race ${race} had ${winners.length} winners`);
    const late = type(holder, epoch);
    holder = winners[0] as Racer;
    epoch++;
    const others = racers.filter((racer) => racer !== holder);
    const stubborn = Array.from({ length: STUBBORN }, () => {
      const racer = others[Math.floor(random() * others.length)] as Racer;
      return type(racer, epoch);
    });
    const own = type(holder, epoch);
    const taken = await Promise.all([before, late, own, ...stubborn]);
    if (!taken[2]) throw new Error(`who won race ${race} could not type`);
    if (taken.slice(3).some(Boolean)) throw new Error(`who lost race ${race} could type`);
    typed += taken.filter(Boolean).length;
    progress(race + 1, races);
  }
  const judged = await judge(operator);
  if (judged.inputs !== typed) {
    throw new Error(`${judged.inputs} inputs are recorded, and ${typed} were taken`);
  }
  await waitUntil(() => statSync(received).size >= judged.bytes, {
    what: "everything typed is there",
  });
  const hash = createHash("sha256");
  const stream = createReadStream(received).on("data", (chunk) => hash.update(chunk));
  await once(stream, "end");
  if (hash.digest("hex") !== judged.sha256) throw new Error("the program got other bytes");
  return `${CLIENTS} clients × ${races} races, ${judged.epochs} epochs with one holder each, ${typed} inputs, each under the claim that it names, ${judged.bytes} bytes as the program got them`;
}

/** Reads the recording: each epoch follows the one before, and what was typed in it was typed by its holder for it. */
async function judge(
  client: NacreClient,
): Promise<{ epochs: number; inputs: number; bytes: number; sha256: string }> {
  let [epochs, inputs, bytes] = [0, 0, 0];
  let holder: CallerId | undefined;
  const hash = createHash("sha256");
  for await (const entry of entriesOf(client, ID, "raw")) {
    if (entry.type === "claim") {
      if (entry.epoch !== epochs + 1) throw new Error(`epoch ${entry.epoch} follows ${epochs}`);
      epochs = entry.epoch;
      holder = entry.by;
    }
    if (entry.type !== "input") continue;
    const data = bytesOf(entry);
    const wanted = `${holder} ${epochs};`;
    const text = Buffer.from(data).toString();
    if (entry.by !== holder || text !== wanted) {
      throw new Error(`${entry.by} typed “${text}” where only “${wanted}” may be`);
    }
    inputs++;
    bytes += data.byteLength;
    hash.update(data);
  }
  return { epochs, inputs, bytes, sha256: hash.digest("hex") };
}

/** Whether something was done; false when somebody else was first. */
async function isTaken(done: Promise<unknown>): Promise<boolean> {
  try {
    await done;
    return true;
  } catch (error) {
    if (error instanceof NacreError && BEATEN.includes(error.code)) return false;
    throw error;
  }
}
