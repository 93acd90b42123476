import type { HostInfo } from "@nacre/contracts";
import type { Handlers } from "./handler.ts";
import type { OperationsParts } from "./parts.ts";

type Names = "readHost" | "changeLimits" | "listAudit";

/** What is done with the Host itself. */
export function hostHandlers({ registry, audit, hostFacts }: OperationsParts): Handlers<Names> {
  const { limits, recordings } = registry;
  const recorderInfo = (): HostInfo["recorder"] => {
    const { state } = recordings;
    if (state.state === "ok") return { state: "ok" };
    const since = new Date(state.since).toISOString();
    return { state: "degraded", reason: state.message, since };
  };
  return {
    readHost: async (_input, { caller }) => ({
      ...hostFacts(),
      terminals: {
        running: limits.count,
        listed: registry.list().length,
        utilisation: limits.count / limits.maxTerminals,
      },
      limits: { ...limits.present },
      recorder: recorderInfo(),
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
