import { z } from "zod";

/** A program with less could not even be loaded. */
const MIN_MEMORY_BYTES = 1024 * 1024;

/** Programs need a few to begin with. */
const MIN_OPEN_FILES = 16;

/** The smallest part of a processor that the kernel shares out. */
const MIN_CPUS = 0.01;
const MAX_CPUS = 1024;

const limitFields = {
  maxProcesses: z.int().min(1).optional().meta({
    description:
      "How many processes and threads there may be at once; in a cgroup those of the terminal, otherwise those of the user beside what was there before.",
  }),
  maxMemoryBytes: z.int().min(MIN_MEMORY_BYTES).optional().meta({
    description:
      "How much memory, in bytes; in a cgroup all programs of the terminal together, otherwise each process.",
  }),
  maxCpus: z.number().min(MIN_CPUS).max(MAX_CPUS).optional().meta({
    description:
      "How much of the processors all programs of the terminal have together, such as 1.5; only in a cgroup.",
  }),
  maxCpuSeconds: z.int().min(1).optional().meta({
    description:
      "For how many seconds each process may use a processor; then it is ended by SIGXCPU.",
  }),
  maxOpenFiles: z.int().min(MIN_OPEN_FILES).optional().meta({
    description: "How many files each process may have open.",
  }),
};

/** What the programs of a Terminal may use. */
export const ProgramLimits = z
  .strictObject(limitFields)
  .meta({ description: "What the programs of a terminal may use; what is absent is not limited." });
export type ProgramLimits = z.infer<typeof ProgramLimits>;

/** What the programs of a Terminal are held to, and by what. */
export const LimitsInForce = z
  .strictObject({
    mechanism: z.enum(["cgroup", "rlimit", "none"]).meta({
      description:
        "What holds the programs: a `cgroup` all of them together, an `rlimit` each process, or `none`.",
    }),
    ...limitFields,
  })
  .meta({ description: "What the programs of a terminal are held to." });
export type LimitsInForce = z.infer<typeof LimitsInForce>;

/** Which limit ended a program. */
export const LimitReached = z.enum(["memory", "cpuTime"]).meta({
  description:
    "Which limit ended the program: `memory` when the kernel killed it because the programs of the terminal had too much, `cpuTime` after too long on the processors.",
});
export type LimitReached = z.infer<typeof LimitReached>;
