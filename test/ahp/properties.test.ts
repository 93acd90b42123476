import { expect, test } from "vitest";
import { textOf, type TerminalState } from "../support/ahp-mirror.ts";
import { draw, newEmulator, screenOf } from "../support/headless-emulator.ts";
import { compareHistories } from "./histories.ts";
import { AhpRig } from "./ahp-rig.ts";

/** Enough that every kind of step is met. */
const HISTORIES = 10;

/** Histories take a shell each, which is slow where many tests run at once. */
const PATIENCE = { timeout: 120_000 };

test(
  "snapshot and actions through the reducer are what a fresh snapshot says, for random histories in all three shapes at once",
  PATIENCE,
  async () => {
    // What is wrong is thrown.
    const done = compareHistories(HISTORIES, { seed: 1, progress: () => undefined });
    await expect(done).resolves.toMatch(/each mirror was what a fresh snapshot said/);
  },
);

/** More than a snapshot carries, in lines of all widths and colours that are written over now and then. */
const LONG_OUTPUT = `stty -echo; read go
awk 'BEGIN { for (n = 1; n <= 60000; n++) {
  printf "\\033[3%dmline %d 漢字 👍 é\\033[0m\\r\\n", n % 8, n
  if (n % 7 == 0) printf "\\033[A\\033[2Kwritten over\\r\\n"
  if (n % 1000 == 0) printf "\\033[?1049hfull screen\\033[?1049l"
} }'
echo all done; exec cat`;

/** What an emulator shows which is given the whole content. */
async function drawn(state: TerminalState): Promise<unknown> {
  const emulator = newEmulator();
  await draw(emulator, textOf(state.content));
  const { cursorX, cursorY, type } = emulator.buffer.active;
  const screen = screenOf(emulator);
  emulator.dispose();
  return { screen, cursorX, cursorY, type };
}

test(
  "beyond the limit of content a fresh snapshot is shorter and draws the same screen",
  PATIENCE,
  async () => {
    await using rig = await AhpRig.open();
    using writer = await rig.client();
    const channel = await rig.run(writer, LONG_OUTPUT, { cols: 80, rows: 24 });
    await writer.watch(channel);
    writer.type(channel, "\r");
    await writer.untilText(channel, "all done");
    const { mirrored, fresh } = await writer.compare(channel);
    expect(textOf(fresh.content).length).toBeLessThan(textOf(mirrored.content).length / 2);
    expect(await drawn(fresh)).toEqual(await drawn(mirrored));
    // Who came late goes on like everybody.
    using late = await rig.client({ versions: ["0.5.0"], subscriptions: [channel] });
    writer.type(channel, "said later\r");
    await Promise.all([writer, late].map((client) => client.untilText(channel, "said later")));
    const [early, lately] = [await writer.compare(channel), await late.compare(channel)];
    expect(await drawn(lately.mirrored)).toEqual(await drawn(early.mirrored));
    expect(await drawn(lately.fresh)).toEqual(await drawn(lately.mirrored));
    expect(rig.failures).toEqual([]);
  },
);
