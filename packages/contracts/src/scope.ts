import { z } from "zod";

/** What a credential is good for: everything, an agent's own terminals, or looking only. */
export const Scope = z.enum(["operator", "agent", "readOnly"]).meta({
  description:
    "What a credential is good for: `operator` everything, `agent` its own terminals and recordings, `readOnly` looking.",
});
export type Scope = z.infer<typeof Scope>;
