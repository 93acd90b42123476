import { type Claim, ClientId } from "@nacre/contracts";

/** Stands in a claim when nobody else can hold it; no client may call itself so. */
export const HOST_CLIENT_ID = ClientId.parse("host");

/** The claim of the Host itself, for a terminal that nobody else is there to hold. */
export const HOST_CLAIM: Claim = { kind: "client", clientId: HOST_CLIENT_ID };
