// What can happen in a run. Each step does something and says what; time passes between steps.
import { CANARY, tagOf } from "./model.ts";
import type { ModelTerminal } from "./model-terminal.ts";
import type { SimClient } from "./client.ts";
import type { World } from "./world.ts";

/** Does something, or nothing where it cannot be done now; says what it did. */
type Step = (world: World) => string | undefined;

/** More terminals at once would only make runs longer. */
const MAX_RUNNING = 4;

/** A length of output: mostly little, sometimes a flood. */
const BURST_BYTES = [1, 7, 7, 80, 80, 80, 400, 400, 400, 400, 3000, 3000, 20_000];

/** Now and then more than a slow viewer may have waiting. */
const FLOOD_CHANCE = 0.003;
const FLOOD_BYTES = 1_000_000;

/** What programs write: words, letters of other alphabets, colours, cursor movements, titles. */
const PIECES = [
  "needle ",
  "plain words\r\n",
  "caf\u00c3\u00a9 ",
  "\u001b[31mred\u001b[0m",
  "\u001b[2;5H",
  "\u001b]0;title\u0007",
  "x",
];

/** Now and then also bytes that are no text. */
const BINARY = "\u0000\u00ff\u00fe";

const someone = ({ clients, scheduler }: World): SimClient | undefined => {
  const connected = clients.filter(({ isConnected }) => isConnected);
  return connected.length === 0 ? undefined : scheduler.pick(connected);
};

const someTerminal = ({ running, scheduler }: World): ModelTerminal | undefined =>
  running.length === 0 ? undefined : scheduler.pick(running);

/** For steps that need both. */
const asked =
  (act: (world: World, client: SimClient, terminal: ModelTerminal) => string | undefined): Step =>
  (world) => {
    const [client, terminal] = [someone(world), someTerminal(world)];
    return client && terminal && act(world, client, terminal);
  };

const onProgram =
  (act: (world: World, terminal: ModelTerminal) => string | undefined): Step =>
  (world) => {
    const terminal = someTerminal(world);
    return terminal && act(world, terminal);
  };

const create: Step = (world) => {
  const client = someone(world);
  const { scheduler, running } = world;
  if (!client || running.length >= MAX_RUNNING) return undefined;
  const id = world.newTerminalId();
  const strictRecording = scheduler.chance(0.4);
  const inputPolicy = scheduler.chance(0.5) ? "holder" : "open";
  const shellIntegration = scheduler.chance(0.6) ? "auto" : "off";
  world.model.terminal(id).isStrict = strictRecording;
  const owner = { entityName: "Task", entityId: "7" };
  const options = { inputPolicy, strictRecording, shellIntegration } as const;
  client.call("createTerminal", {
    id,
    owner,
    workingDirectory: "/",
    command: "/bin/bash",
    ...options,
  });
  if (scheduler.chance(0.7)) client.follow(id);
  return `client ${client.number} creates ${id} ${inputPolicy}${strictRecording ? " strict" : ""} ${shellIntegration}`;
};

const input = asked((world, client, terminal) => {
  const { scheduler, checks } = world;
  const { id, number, program } = terminal;
  // While a secret is asked for, only the secret is typed: a line in its place would be shown.
  if (!program || program.isAskingSecret || world.isSecretOpen(terminal)) return undefined;
  const count = (client.typed.get(id) ?? 0) + 1;
  client.typed.set(id, count);
  const epoch = scheduler.chance(0.7) ? client.epochs.get(id) : undefined;
  const tag = tagOf(number, client.number, count, epoch ?? 0);
  const isLong = scheduler.chance(0.02);
  const data = isLong ? `${"l".repeat(5000)}\r` : `${tag}\r`;
  client.call("sendInput", { id, data, ...(epoch === undefined ? {} : { epoch }) }, (outcome) => {
    if (!("error" in outcome)) return void (isLong || terminal.accepted.add(tag));
    checks.sometimes("inputRefused", outcome.error.code === "input_queue_full");
    checks.sometimes("epochRefused", outcome.error.field === "epoch");
  });
  terminal.lastInputAt = scheduler.nowMs;
  return `client ${client.number} types ${isLong ? "5000 letters" : tag} into ${number}`;
});

const secret = asked((world, client, terminal) => {
  const { program, id, number } = terminal;
  if (!program) return undefined;
  if (!program.isAskingSecret) {
    // What was typed before must not be taken for it.
    if (world.scheduler.nowMs - terminal.lastInputAt < 30_000 || program.isStuck) return undefined;
    world.openSecret(terminal);
    program.askSecret();
    return `the program of ${number} asks for a secret`;
  }
  if (terminal.isSecretSent) return undefined;
  terminal.isSecretSent = true;
  client.call("sendInput", { id, data: `${CANARY}${number}\r` }, (outcome) => {
    world.checks.sometimes("secretTyped", "value" in outcome);
  });
  return `client ${client.number} types the secret of ${number}`;
});

const burst = onProgram(({ scheduler }, { program, number }) => {
  const length = scheduler.chance(FLOOD_CHANCE) ? FLOOD_BYTES : scheduler.pick(BURST_BYTES);
  const pieces = scheduler.chance(0.05) ? [...PIECES, BINARY] : PIECES;
  let text = "";
  while (text.length < length) text += scheduler.pick(pieces);
  program?.print(text);
  return `the program of ${number} writes ${text.length} bytes`;
});

const moveClaim = asked(({ scheduler, checks }, client, { id, number }) => {
  const epoch = scheduler.chance(0.3) ? client.epochs.get(id) : undefined;
  client.call("moveClaim", { id, ...(epoch === undefined ? {} : { epoch }) }, (outcome) => {
    if (!("value" in outcome)) return;
    checks.sometimes("claimMoved");
    client.epochs.set(id, outcome.value.epoch);
  });
  return `client ${client.number} claims ${number}`;
});

const exit = onProgram(({ scheduler, checks, machine }, { program, number }) => {
  if (!program) return undefined;
  program.hasBackground = scheduler.chance(0.15);
  program.exit(scheduler.between(0, 3));
  checks.sometimes("exitWhileAway", machine.daemon === undefined);
  checks.sometimes("undrainedExit", program.hasBackground);
  return `the program of ${number} ends${program.hasBackground ? ", another holds its terminal" : ""}`;
});

const stick = onProgram((_world, { program, number }) => {
  if (!program) return undefined;
  if (program.isStuck) program.unstick();
  else program.isStuck = true;
  return `the program of ${number} ${program.isStuck ? "does not read" : "reads again"}`;
});

const look: Step = (world) => {
  const { reader, checks } = world;
  const terminal = someTerminal(world);
  if (!terminal) return undefined;
  reader.connect();
  const { id } = terminal;
  reader.call("renameTerminal", { id, title: "taken" }, (outcome) => {
    const isRefused =
      "error" in outcome && ["forbidden", "terminal_not_found"].includes(outcome.error.code);
    checks.always(
      "I8 who may only look changes nothing",
      isRefused || "error" in outcome,
      () => id,
    );
    checks.sometimes("hiddenFromReadOnly", isRefused);
  });
  reader.follow(id);
  return `who may only look follows ${terminal.number} and tries to rename it`;
};

/** What can be asked of one terminal with nothing more to it. */
const REQUESTS: Readonly<
  Record<string, (world: World, client: SimClient, terminal: ModelTerminal) => void>
> = {
  resize: ({ scheduler }, client, { id }) =>
    client.call("resizeTerminal", {
      id,
      cols: scheduler.between(1, 300),
      rows: scheduler.between(1, 100),
    }),
  mark: (_world, client, { id }) => client.call("markRecording", { id, label: "here" }),
  rename: (_world, client, { id }) => client.call("renameTerminal", { id, title: "some name" }),
  clear: (_world, client, { id }) => client.call("clearTerminal", { id }),
  handBack: (_world, client, { id }) => client.call("handBackClaim", { id }),
  interrupt: ({ scheduler }, client, terminal) => {
    // As if it were typed: it must not come between a question and its answer.
    terminal.lastInputAt = scheduler.nowMs;
    client.call("signalTerminal", { id: terminal.id, signal: "SIGINT" });
  },
  readScreen: (_world, client, { id }) => client.call("readScreen", { id }),
  read: (_world, client, { id }) => client.call("readTerminal", { id }),
  follow: (_world, client, { id }) => client.follow(id),
  leave: (_world, client, { id }) => client.unfollow(id),
  close: (_world, client, terminal) => {
    terminal.isClosed = true;
    client.call("disposeTerminal", { id: terminal.id });
  },
};

const request = (name: string): Step =>
  asked((world, client, terminal) => {
    // An interrupt would show what is typed as a secret.
    if (name === "interrupt" && world.isSecretOpen(terminal)) return undefined;
    REQUESTS[name]?.(world, client, terminal);
    return `client ${client.number}: ${name} ${terminal.number}`;
  });

const kill = asked(({ scheduler, checks }, client, { id, number, program }) => {
  if (program) program.ignoresTerm = scheduler.chance(0.3);
  client.call("killTerminal", { id, graceMs: 200 }, (outcome) => {
    checks.sometimes("forcedKill", "value" in outcome && outcome.value.forced);
  });
  return `client ${client.number} kills the program of ${number}`;
});

const search: Step = (world) => {
  const client = world.machine.isSearched ? someone(world) : undefined;
  client?.call("searchRecordings", { text: "needle" }, (outcome) => {
    world.checks.sometimes("foundText", "value" in outcome && outcome.value.hits.length > 0);
  });
  return client && `client ${client.number} searches`;
};

const purge: Step = (world) => {
  const client = someone(world);
  const known = [...world.model.terminals.values()];
  const there = known.filter(({ isDeleted, lastSequence }) => !isDeleted && lastSequence > 0);
  if (!client || there.length === 0) return undefined;
  const terminal = world.scheduler.pick(there);
  const { id, number } = terminal;
  terminal.isClosed = terminal.isPurging = true;
  client.call("deleteRecording", { id, purge: true }, (outcome) => {
    if (!("value" in outcome)) return;
    world.checks.sometimes("purged");
    const isGone = !world.machine.image.hasTerminal(id);
    world.checks.always("what was purged is gone", isGone, () => `terminal ${number}`);
  });
  return `client ${client.number} purges ${number}`;
};

/** What programs and people do, with how often. */
export const ORDINARY_STEPS: readonly (readonly [Step, number])[] = [
  [create, 8],
  [input, 30],
  [burst, 25],
  [moveClaim, 8],
  [secret, 4],
  [exit, 3],
  [stick, 2],
  [look, 2],
  [kill, 2],
  [search, 3],
  [purge, 1],
  ...Object.keys(REQUESTS).map((name) => [request(name), name === "follow" ? 6 : 3] as const),
];
