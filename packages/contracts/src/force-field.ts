import { z } from "zod";

/** Whether programs that are ended get time for it. */
export const forceField = z.boolean().optional().meta({
  description:
    "Whether programs are killed at once; otherwise they are sent SIGTERM or SIGHUP, and killed a second later.",
});
