import { NacreError } from "@nacre/contracts";
import type { Handlers, OperationsDeps } from "./handler.ts";

type HostOperationName = "readHost" | "changeLimits" | "listAudit";

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

type CredentialOperationName =
  | "listTokens"
  | "createToken"
  | "rotateToken"
  | "revokeToken"
  | "createTicket";

export function credentialHandlers({
  tokens,
  tickets,
}: OperationsDeps): Handlers<CredentialOperationName> {
  const book = () => {
    if (tokens) return tokens;
    throw new NacreError("unsupported", "this host has no tokens");
  };
  return {
    listTokens: async () => ({ tokens: [...(await book().list())] }),
    createToken: async (input) => await book().create(input),
    rotateToken: async ({ name }) => await book().rotate(name),
    revokeToken: async ({ name }) => {
      await book().revoke(name);
      return { name };
    },
    createTicket: async (input, { caller }) => {
      if (tickets) return await tickets.issue(caller, input);
      throw new NacreError("unsupported", "this host has no tickets");
    },
  };
}
