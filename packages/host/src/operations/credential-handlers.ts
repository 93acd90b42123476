import { NacreError } from "@nacre/contracts";
import type { Handlers } from "./handler.ts";
import type { OperationsDeps } from "./parts.ts";

type CredentialOperationName =
  | "listTokens"
  | "createToken"
  | "rotateToken"
  | "revokeToken"
  | "createTicket";

/** What is done with credentials, where there are any. */
export function credentialHandlers({
  tokens,
  tickets,
}: OperationsDeps): Handlers<CredentialOperationName> {
  const book = () => {
    if (tokens) return tokens;
    throw new NacreError("unsupported", "nobody comes into this host by a token");
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
      throw new NacreError("unsupported", "nobody connects to this host by a ticket");
    },
  };
}
