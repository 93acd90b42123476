// Clients whose connections are cut again and again while terminals write numbered lines.
import assert from "node:assert/strict";
import { connect, type NacreClient } from "@nacre/client";
import { ROOT } from "../support/ahp-client.ts";
import { NumberedLines } from "../support/numbered-lines.ts";
import { type OwnDaemon, ownDaemon } from "../support/own-daemon.ts";
import { Random } from "../support/random.ts";
import type { Run } from "../support/target.ts";
import { CutClient, type CutClientParts } from "./cut-client.ts";

/** One version of each shape that states have had. */
const VERSIONS = ["1.0.0", "0.7.0", "0.5.0"] as const;

const FORMS = ["cursor", "cursors"] as const;

/** Lines that are written at once. */
const MOST_LINES = 400;

/** More than the host remembers of a channel. */
const FORGOTTEN_LINES = 200_000;

/** Cuts connections until there were so many; throws unless all clients heard exactly what one heard that was never cut. */
export async function cutAndReconnect(
  cuts: number,
  { seed, progress }: Pick<Run, "seed" | "progress">,
): Promise<string> {
  await using stack = new AsyncDisposableStack();
  const own = stack.use(await ownDaemon());
  const random = new Random(seed);
  const writers = await Writers.start(own, random);
  let isCutting = false;
  const url = `ws://127.0.0.1:${own.port}`;
  const follow = (version: string, more: Pick<CutClientParts, "form" | "isCutting">): CutClient => {
    const clientId = `client-${random.between(1, 1e9)}`;
    const { token } = own;
    const { channels } = writers;
    return stack.use(new CutClient({ url, token, channels, random, clientId, version, ...more }));
  };
  const never = { form: "cursor", isCutting: () => false } as const;
  const witnesses = VERSIONS.map((version) => follow(version, never));
  await Promise.all(witnesses.map(({ ready }) => ready));
  const clients = VERSIONS.flatMap((version) =>
    FORMS.map((form) => follow(version, { form, isCutting: () => isCutting })),
  );
  await Promise.all(clients.map(({ ready }) => ready));
  isCutting = true;
  const made = (): number => sum(clients.map((client) => client.cuts));
  for (let half = 1; half <= 2; half++) {
    while (made() < (cuts * half) / 2) {
      await writers.write();
      for (const client of [...witnesses, ...clients]) client.throwProblem();
      progress(made(), cuts);
    }
    if (half === 1) await whileAway(clients, () => writers.flood());
  }
  isCutting = false;
  await writers.end();
  const snapshots = await checkAll(clients, witnesses);
  const replays = sum(clients.map((client) => client.replays));
  return `${made()} connections of ${clients.length} clients were cut during ${writers.lines} lines of two terminals; every client has every action once: ${replays} times it was told what it missed, ${snapshots} times a channel was shown anew`;
}

const sum = (values: readonly number[]): number => values.reduce((all, one) => all + one, 0);

/** Does something while all clients are away. */
async function whileAway(clients: readonly CutClient[], work: () => Promise<void>): Promise<void> {
  const comeBack = await Promise.all(clients.map((client) => client.hold()));
  await work();
  for (const letOne of comeBack) letOne();
}

/** Throws unless all heard the same as the witness of their version; how many snapshots they got after their first. */
async function checkAll(
  clients: readonly CutClient[],
  witnesses: readonly CutClient[],
): Promise<number> {
  await Promise.all(witnesses.map((witness) => witness.untilEnded()));
  const snapshots = clients.map(async (client) => {
    await client.untilEnded();
    const witness = witnesses.find(({ version }) => version === client.version);
    return sum(
      [...client.heard.values()].map((heard) => {
        const whole = witness?.heard.get(heard.channel);
        assert.ok(whole);
        heard.check(whole);
        return heard.snapshots - 1;
      }),
    );
  });
  return sum(await Promise.all(snapshots));
}

/** Two terminals that write numbered lines, and are renamed now and then. */
class Writers {
  readonly channels: readonly string[];
  readonly #client: NacreClient;
  readonly #terminals: readonly NumberedLines[];
  readonly #random: Random;

  private constructor(client: NacreClient, terminals: readonly NumberedLines[], random: Random) {
    this.#client = client;
    this.#terminals = terminals;
    this.#random = random;
    const uris = terminals.map(({ id }) => id.replace("terminal:", "ahp-terminal:/"));
    this.channels = [ROOT, ...uris];
  }

  static async start({ url, token }: OwnDaemon, random: Random): Promise<Writers> {
    const client = connect({ url, token });
    const terminals = [await NumberedLines.start(client), await NumberedLines.start(client)];
    return new Writers(client, terminals, random);
  }

  get lines(): number {
    return sum(this.#terminals.map(({ lines }) => lines));
  }

  /** Lets some terminals write some lines each. */
  async write(): Promise<void> {
    const random = this.#random;
    await Promise.all(
      this.#terminals.map(async (terminal) => {
        const { id } = terminal;
        if (random.chance(0.2)) {
          const title = `title ${random.between(1, 1e6)}`;
          await this.#client.renameTerminal({ id, title });
        }
        if (random.chance(0.7)) await terminal.write(random.between(1, MOST_LINES));
      }),
    );
  }

  /** Writes more to one of them than is remembered. */
  async flood(): Promise<void> {
    await this.#terminals[0]?.write(FORGOTTEN_LINES);
  }

  async end(): Promise<void> {
    await Promise.all(this.#terminals.map((terminal) => terminal.end()));
  }
}
