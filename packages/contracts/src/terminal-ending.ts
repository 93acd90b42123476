import { z } from "zod";
import { SignalName } from "./command.ts";
import { TerminalId } from "./ids.ts";

/** Whom a signal is for. */
export const SignalTarget = z.enum(["foreground", "leader", "tree"]).meta({
  description:
    "Whom the signal is for: the job in the `foreground` (when absent), the `leader` that was launched, or the whole `tree` that it started.",
});
export type SignalTarget = z.infer<typeof SignalTarget>;

/** A signal for what runs in a Terminal. */
export const SignalTerminalInput = z
  .strictObject({
    id: TerminalId.meta({ description: "The terminal with the program." }),
    signal: SignalName,
    target: SignalTarget.optional(),
  })
  .meta({ description: "A signal for what runs in a terminal." });
export type SignalTerminalInput = z.infer<typeof SignalTerminalInput>;

/** A program that needs longer to end by itself is asked with a signal first. */
const MAX_GRACE_MS = 60_000;

/** Which Terminal's programs to end, and how gently. */
export const KillTerminalInput = z
  .strictObject({
    id: TerminalId.meta({ description: "The terminal whose programs to end." }),
    graceMs: z.int().min(0).max(MAX_GRACE_MS).optional().meta({
      description:
        "How long programs may take to end by themselves before they are killed; 1000 when absent.",
    }),
  })
  .meta({ description: "Which terminal's programs to end." });
export type KillTerminalInput = z.infer<typeof KillTerminalInput>;

const Survivor = z.strictObject({
  pid: z.int().min(1).meta({ description: "Number of the process." }),
  startTicks: z.int().min(0).meta({
    description: "When it started, in clock ticks since boot; 0 where that is not known.",
  }),
  name: z.string().meta({ description: "What people know it by." }),
});

/** What a kill did; death is proven for everything but the survivors. */
export const KillReport = z
  .strictObject({
    ended: z.int().min(0).meta({ description: "How many processes ended." }),
    forced: z.boolean().meta({ description: "Whether they had to be killed." }),
    survivors: z.array(Survivor).meta({
      description: "What outlived it, and what still holds the terminal without belonging to it.",
    }),
  })
  .meta({ description: "What a kill did." });
export type KillReport = z.infer<typeof KillReport>;
