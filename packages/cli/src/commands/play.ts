import { NacreError } from "@nacre/contracts/error";
import type { Command } from "../command.ts";
import { uidOf } from "../find-terminal.ts";
import { TERMINAL } from "../terminal-words.ts";

export const playCommand: Command = {
  name: "play",
  section: "recordings",
  summary: "Play the recording of a terminal, also of one that still runs",
  description:
    "Keys: space pauses, . goes on by one step, [ and ] go to the command or marker before and after, < and > change the speed, the arrows go 5 s back and forth, Home and End to the start and the end, q quits.",
  arguments: [TERMINAL],
  options: [
    {
      name: "speed",
      short: "s",
      value: "FACTOR",
      description: "How fast, such as 2 or 0.5; 1 when absent",
    },
    {
      name: "idle-time-limit",
      short: "i",
      value: "TIME",
      description: "Cut times in which nothing happens to this, such as 1s",
    },
    { name: "from", value: "TIME", description: "Begin so long after the start, such as 1m30s" },
  ],
  examples: [
    { line: "nacre play build", about: "from the start", kind: "keys" },
    {
      line: "nacre play --speed 2 --idle-time-limit 1s build",
      about: "without the waiting",
      kind: "keys",
    },
    { line: "nacre play --from 1m30s build", about: "from a moment on", kind: "keys" },
  ],

  async run(context) {
    const { call, options } = context;
    const { requireTerminal, HangupError } = await import("../live/user-terminal.ts");
    const speed = speedOf(options.text("speed") ?? "1");
    requireTerminal();
    const { id, name } = await context.terminal(context.args[0]);
    const { TerminalPlayer } = await import("../live/player.ts");
    const label = name ?? uidOf(id).slice(0, 8);
    const idleLimitMs = options.durationMs("idle-time-limit") ?? Number.POSITIVE_INFINITY;
    const fromMs = options.durationMs("from") ?? 0;
    try {
      await TerminalPlayer.play({ id, label, call, speed, idleLimitMs, fromMs });
      return { result: undefined, text: "", isPrinted: true };
    } catch (error) {
      if (!(error instanceof HangupError)) throw error;
      return { result: undefined, text: "", exitCode: error.exitCode, isPrinted: true };
    }
  },
};

const MAX_SPEED = 1000;

function speedOf(text: string): number {
  const speed = /^\d+(?:\.\d+)?$/.test(text) ? Number(text) : 0;
  if (speed > 0 && speed <= MAX_SPEED) return speed;
  throw new NacreError(
    "invalid_argument",
    `--speed: ${text} is not a speed; expected a factor such as 2 or 0.5`,
    {
      field: "speed",
    },
  );
}
