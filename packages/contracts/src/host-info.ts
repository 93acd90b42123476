import { z } from "zod";
import { Timestamp } from "./ids.ts";
import { Scope } from "./scope.ts";
import { StorageInfo } from "./storage.ts";

export const ReadHostInput = z.strictObject({}).meta({ description: "Nothing has to be said." });
export type ReadHostInput = z.infer<typeof ReadHostInput>;

/** Linux allows few more PTYs by default (`kernel.pty.max`), and each terminal costs file descriptors. */
export const MAX_TERMINALS = 1000;

/** Default per agent: more than any agent needs, too few to fill the machine. */
export const DEFAULT_TERMINALS_PER_AGENT = 50;

const maxTerminals = z
  .int()
  .min(1)
  .max(MAX_TERMINALS)
  .meta({ description: `How many terminals may run at once, from 1 to ${MAX_TERMINALS}.` });

/** How much a Host does at once. */
export const HostLimits = z
  .strictObject({
    maxTerminals,
    maxPerOwner: z.int().min(1).meta({
      description: "How many terminals may run at once for one owner.",
    }),
    maxPerAgent: z.int().min(1).meta({
      description: "How many terminals an agent may have running at once.",
    }),
    maxCreatesPerSecond: z.number().positive().meta({
      description: "How many terminals may be created per second, over a while.",
    }),
  })
  .meta({ description: "How much a host does at once." });
export type HostLimits = z.infer<typeof HostLimits>;

export const ChangeLimitsInput = z
  .strictObject({ maxTerminals })
  .meta({ description: "New limits for a host." });
export type ChangeLimitsInput = z.infer<typeof ChangeLimitsInput>;

const TerminalCounts = z.strictObject({
  running: z.int().min(0).meta({ description: "How many terminals run." }),
  listed: z.int().min(0).meta({ description: "How many are listed, with those that ended." }),
  utilisation: z.number().min(0).meta({
    description: "How much of `maxTerminals` is used; 1 is all of it.",
  }),
});

const KeeperInfo = z.strictObject({
  state: z.enum(["ok", "silent", "lost"]).meta({
    description:
      "`ok`; `silent` while it is there and does not answer; `lost` when it is gone, until the next program.",
  }),
  pid: z.int().min(1).optional().meta({ description: "Number of its process." }),
});

export const HostInfo = z
  .strictObject({
    version: z.string().meta({ description: "Version of the host." }),
    protocolVersions: z.array(z.string()).meta({
      description: "Versions of this interface that the host speaks.",
    }),
    pid: z.int().min(1).meta({ description: "Number of the host's process." }),
    startedAt: Timestamp.meta({ description: "When the host started." }),
    platform: z.string().meta({ description: "Operating system, such as `linux`." }),
    arch: z.string().meta({ description: "Kind of processor, such as `x64`." }),
    terminals: TerminalCounts.meta({ description: "How many terminals there are." }),
    limits: HostLimits.meta({ description: "How much the host does at once." }),
    storage: StorageInfo.meta({ description: "Whether recordings can be written now." }),
    keeper: KeeperInfo.optional().meta({
      description:
        "Whether the process that has the programs answers; absent where it is the host itself.",
    }),
    restarts: z.record(z.string(), z.int().min(1)).optional().meta({
      description:
        "Parts of the host that ended by themselves and were started anew, with how often.",
    }),
    damagedRecordings: z.int().min(0).optional().meta({
      description: "How many recordings were found to be damaged since the host started.",
    }),
    scope: Scope.meta({ description: "What the credential of whoever asks is good for." }),
  })
  .meta({ description: "What a host is and does." });
export type HostInfo = z.infer<typeof HostInfo>;
