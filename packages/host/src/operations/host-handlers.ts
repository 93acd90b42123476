import type { Handlers } from "./handler.ts";
import type { OperationsParts } from "./parts.ts";

type Names = "readHost" | "changeLimits" | "listAudit";

/** What is done with the Host itself. */
export function hostHandlers({ registry, audit, hostFacts }: OperationsParts): Handlers<Names> {
  const { limits, recordings } = registry;
  return {
    readHost: async (_input, { caller }) => ({
      ...hostFacts(),
      terminals: {
        running: limits.count,
        listed: registry.list().length,
        utilisation: limits.count / limits.maxTerminals,
      },
      limits: { ...limits.present },
      storage: recordings.storage,
      damagedRecordings: recordings.damagedCount,
      scope: caller.scope,
    }),
    changeLimits: async ({ maxTerminals }) => {
      limits.maxTerminals = maxTerminals;
      return { ...limits.present };
    },
    listAudit: (page) => audit.list(page),
  };
}
