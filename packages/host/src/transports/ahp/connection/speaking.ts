import type { Caller, Claim } from "@nacre/contracts";

/** Sessions that one client speaks for; of more, the one it began with first is forgotten. */
const MAX_SESSIONS = 256;

/** What decides for whom a client speaks. */
export interface SpeakerFacts {
  readonly caller: Caller;
  /** The sessions that the client speaks for. */
  readonly sessions: ReadonlySet<string>;
  /** Who holds the terminal now. */
  readonly present: Claim | undefined;
  /** Who shall hold it, where that is what the client wants. */
  readonly wanted?: Claim;
}

/** Who asks: the client, or a session that it speaks for, where the terminal is or shall be that session's. */
export function resolveSpeaker({ caller, sessions, present, wanted }: SpeakerFacts): Caller {
  if (caller.session !== undefined) return caller;
  const named = [present, wanted].flatMap((claim) =>
    claim?.kind === "session" ? [claim.session] : [],
  );
  const session = named.find((name) => sessions.has(name));
  return session === undefined ? caller : { ...caller, session };
}

/** From now on the client speaks for the session of a claim. */
export function rememberSession(claim: Claim, sessions: Set<string>): void {
  if (claim.kind !== "session") return;
  sessions.delete(claim.session);
  sessions.add(claim.session);
  const [first] = sessions;
  if (sessions.size > MAX_SESSIONS && first !== undefined) sessions.delete(first);
}
