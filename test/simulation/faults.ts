// What goes wrong in a run.
import type { World } from "./world.ts";

/** Does something, or nothing where it cannot be done now; says what it did. */
type Fault = (world: World) => string | undefined;

const HOUR_MS = 3_600_000;

const cut: Fault = (world) => {
  const connected = world.everyone.filter(({ isConnected }) => isConnected);
  if (connected.length === 0) return undefined;
  const client = world.scheduler.pick(connected);
  const isHalfOpen = world.scheduler.chance(0.3);
  world.checks.sometimes("halfOpen", isHalfOpen);
  client.cut(isHalfOpen);
  return `client ${client.number} is cut off${isHalfOpen ? ", half open" : ""}`;
};

const connect: Fault = (world) => {
  const gone = world.everyone.filter(({ isConnected }) => !isConnected);
  const back = gone.filter((client) => client.connect());
  return back.length === 0
    ? undefined
    : `clients ${back.map(({ number }) => number).join()} connect`;
};

const killDaemon: Fault = (world) => {
  const { machine, model, running } = world;
  if (!machine.daemon) return undefined;
  const isBehind = running.some(
    ({ program, nextOffset }) => (program?.written.length ?? 0) > nextOffset,
  );
  world.checks.sometimes("adoptedUnrecorded", isBehind);
  machine.killDaemon();
  world.plant?.handleKill?.(world);
  model.checkShown(machine.image);
  return "the daemon is killed";
};

const restart: Fault = ({ machine }) => {
  if (machine.daemon) return undefined;
  machine.startDaemon();
  return "a daemon starts";
};

const cutPower: Fault = (world) => {
  const { machine, disk, scheduler, model, checks } = world;
  machine.cutPower();
  const lost = disk.cutPower(() => scheduler.chance(0.2));
  checks.sometimes(lost > 0 ? "powerCutLost" : "powerCutKept");
  if (lost > 0) {
    checks.always(
      "I4 what was synced survives a power cut",
      !disk.syncs,
      () => `${lost} groups are gone`,
    );
    world.forgetUnsynced();
  }
  model.checkShown(machine.image);
  return `the power is cut, ${lost} commits are gone`;
};

const jump: Fault = ({ scheduler, checks }) => {
  const byMs = scheduler.pick([-HOUR_MS, -1000, 1000, HOUR_MS, 24 * HOUR_MS, -24 * HOUR_MS]);
  scheduler.jump(byMs);
  checks.sometimes("clockJumped");
  return `the clock jumps by ${byMs} ms`;
};

const fill: Fault = ({ disk, running, checks }) => {
  disk.isFull = !disk.isFull;
  checks.sometimes("strictWaited", disk.isFull && running.length > 0);
  return disk.isFull ? "the disk is full" : "the disk has room again";
};

const breakDisk: Fault = ({ disk }) => {
  disk.isBroken = !disk.isBroken;
  return disk.isBroken ? "the disk cannot be opened" : "the disk can be opened again";
};

const killRecorder: Fault = ({ machine, checks, model }) => {
  if (!machine.killThread("recorder")) return undefined;
  model.noteLostRecorder();
  checks.sometimes("recorderRestarted");
  return "the recorder thread ends";
};

const killReader: Fault = ({ machine }) =>
  machine.killThread("reader") ? "the reader thread ends" : undefined;

const dropBackground: Fault = ({ model }) => {
  const held = [...model.terminals.values()].filter(({ program }) => program?.hasBackground);
  for (const { program } of held) program?.endBackground();
  return held.length === 0 ? undefined : "what held terminals open lets go";
};

/** What goes wrong, with how often. */
export const FAULT_STEPS: readonly (readonly [Fault, number])[] = [
  [cut, 4],
  [connect, 10],
  [killDaemon, 3],
  [restart, 12],
  [cutPower, 0.3],
  [jump, 1],
  [fill, 1.5],
  [breakDisk, 0.5],
  [killRecorder, 0.7],
  [killReader, 0.5],
  [dropBackground, 2],
];
