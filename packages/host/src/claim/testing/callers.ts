import { type Caller, CallerId, type Claim, ClientId, type Scope } from "@nacre/contracts";

export function caller(
  id: string,
  scope: Scope,
  rest: { readonly client?: string; readonly session?: string } = {},
): Caller {
  return {
    id: CallerId.parse(id),
    scope,
    ...(rest.client === undefined ? {} : { clientId: ClientId.parse(rest.client) }),
    ...(rest.session === undefined ? {} : { session: rest.session }),
  };
}

export const client = (name: string): Claim => ({ kind: "client", clientId: ClientId.parse(name) });

export const session = (name: string, turnId?: string, toolCallId?: string): Claim => ({
  kind: "session",
  session: name,
  ...(turnId === undefined ? {} : { turnId }),
  ...(toolCallId === undefined ? {} : { toolCallId }),
});
