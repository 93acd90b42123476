import { z } from "zod";
import { labelText } from "./bounded-text.ts";
import { claimName } from "./claim.ts";
import { SignalName } from "./command.ts";
import { TerminalId } from "./ids.ts";
import { MAX_NAME_LENGTH } from "./launch-fields.ts";

export const forceField = z.boolean().optional().meta({
  description:
    "Whether programs are killed at once; otherwise they are sent SIGTERM or SIGHUP, and killed a second later.",
});

const goneOwner = z
  .strictObject({
    entityName: labelText({ description: "Kind of the owner.", maxLength: MAX_NAME_LENGTH }),
    entityId: labelText({
      description: "Identity of the owner among its kind.",
      maxLength: MAX_NAME_LENGTH,
    }),
  })
  .meta({ description: "The owner that is gone." });

export const DisposeTerminalsInput = z
  .strictObject({
    owner: goneOwner.optional(),
    session: claimName(
      "The agent's session that is gone; those it still drives are meant.",
    ).optional(),
    force: forceField,
  })
  .refine(({ owner, session }) => (owner === undefined) !== (session === undefined), {
    path: ["owner"],
    message: "needs either `owner` or `session`",
  })
  .meta({
    description: "Whose terminals to end, because they are gone.",
    oneOf: [{ required: ["owner"] }, { required: ["session"] }],
  });
export type DisposeTerminalsInput = z.infer<typeof DisposeTerminalsInput>;

export const DisposeTerminalsResult = z
  .strictObject({
    disposed: z.array(TerminalId).meta({
      description: "The terminals that were ended and taken off the list; their recordings stay.",
    }),
    kept: z.array(TerminalId).meta({
      description:
        "The terminals that stay: created with `whenOwnerEnds` `keep`, or held by somebody the caller may not take them from.",
    }),
  })
  .meta({ description: "What became of the terminals of somebody who is gone." });
export type DisposeTerminalsResult = z.infer<typeof DisposeTerminalsResult>;

export const SignalTarget = z.enum(["foreground", "leader", "tree"]).meta({
  description:
    "Whom the signal is for: the job in the `foreground` (when absent), the `leader` that was launched, or the whole `tree` that it started.",
});
export type SignalTarget = z.infer<typeof SignalTarget>;

export const SignalTerminalInput = z
  .strictObject({
    id: TerminalId.meta({ description: "The terminal with the program." }),
    signal: SignalName,
    target: SignalTarget.optional(),
  })
  .meta({ description: "A signal for what runs in a terminal." });
export type SignalTerminalInput = z.infer<typeof SignalTerminalInput>;

/** Signal a program first if it needs longer to end by itself. */
const MAX_GRACE_MS = 60_000;

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

/** Death is proven for everything but the survivors. */
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
