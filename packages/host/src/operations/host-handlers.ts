import type { Handlers } from "./handler.ts";
import type { OperationsDeps } from "./parts.ts";

type HostOperationName = "readHost" | "changeLimits" | "listAudit";

/** What is done with the Host itself. */
export function hostHandlers({
  registry,
  audit,
  hostFacts,
}: OperationsDeps): Handlers<HostOperationName> {
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
