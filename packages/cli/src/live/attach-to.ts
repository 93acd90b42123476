// Attaching to a terminal, from the first look at it to what is said when it is over.
import { describeState, safeText } from "@nacre/client/ui";
import type { NodeClient } from "@nacre/client/node";
import type { ClaimState, TerminalId } from "@nacre/contracts";
import { NacreError } from "@nacre/contracts/error";
import type { Context } from "../context.ts";
import { CLIENT_LABEL } from "../daemon-link.ts";
import { uidOf } from "../find-terminal.ts";
import type { DetachKeys } from "./attach-keys.ts";
import { type AttachEnd, AttachSession, isFree } from "./attach-session.ts";
import { exitCodeOf } from "./ending-codes.ts";
import { HangupError, terminalSize } from "./user-terminal.ts";

export interface AttachToOptions {
  readonly id: TerminalId;
  readonly name?: string | undefined;
  readonly keys: DetachKeys;
  readonly isReadOnly: boolean;
  /** Whether to take over first. */
  readonly takes: boolean;
}

/** Attaches until the user leaves or the program ends; returns the exit code. */
export async function attachTo(context: Context, wish: AttachToOptions): Promise<number> {
  const { id, keys, isReadOnly } = wish;
  const client = await context.client();
  const { state, claim: first } = await client.readTerminal({ id });
  if (!["creating", "active", "killing"].includes(state)) throw ended(id);
  const claim = isReadOnly ? first : await prepare(client, wish, first);
  const label = wish.name ?? uidOf(id).slice(0, 8);
  const connect = connectAgain;
  const session = new AttachSession({ id, label, isReadOnly, keys, client, claim, connect });
  try {
    return say(await session.run(), label);
  } catch (error) {
    if (error instanceof NacreError && error.code === "conflict") throw wouldLoop(error);
    if (!(error instanceof HangupError)) throw error;
    console.error(`[detached from ${safeText(label)}: ${error.message}]`);
    return error.exitCode;
  }
}

/** Gets hold of the terminal where that takes it from nobody, and gives it the size of the user's. */
async function prepare(
  client: NodeClient,
  { id, takes }: AttachToOptions,
  first: ClaimState,
): Promise<ClaimState> {
  let held = first;
  try {
    if (takes || isFree(first.claim)) held = await client.moveClaim({ id, takeover: takes });
    await client.resizeTerminal({ id, ...terminalSize() });
  } catch (error) {
    if (!(error instanceof NacreError)) throw error;
    if (error.code === "forbidden") throw onlyLooks(id, error);
    // Who looks and types needs no claim; that nothing can be recorded is said on the screen.
    if (takes || error.code !== "recording_blocked") throw error;
  }
  return held;
}

/** The daemon that runs now; none is started, for that of the terminal may come back by itself. */
async function connectAgain(): Promise<NodeClient> {
  const { connectLocal, connectProven, discoverHost } = await import("@nacre/client/node");
  const token = process.env["NACRE_TOKEN"];
  if (!token) return await connectLocal({ clientLabel: CLIENT_LABEL });
  const { url } = await discoverHost();
  return connectProven({ url, token, clientLabel: CLIENT_LABEL });
}

function say(end: AttachEnd, label: string): number {
  if (end.kind === "detached") {
    console.error(`[detached from ${safeText(label)}]`);
    return 0;
  }
  const { exitCode, signal, lostReason } = end;
  const { words, details } = describeState({ ...end, state: lostReason ? "lost" : "exited" });
  const why = details === undefined ? "" : `. ${details}.`;
  console.error(`[${safeText(label)} ended: ${safeText(words)}${why}]`);
  return exitCodeOf(exitCode, signal);
}

const onlyLooks = (id: TerminalId, cause: NacreError): NacreError =>
  new NacreError("forbidden", `you may look at ${id}, but not type into it`, {
    cause,
    suggestion: "Attach with --read-only.",
  });

const wouldLoop = (cause: NacreError): NacreError =>
  new NacreError("conflict", cause.message, {
    cause,
    suggestion: "Detach there first, or attach from a terminal that Nacre does not have.",
  });

const ended = (id: TerminalId): NacreError =>
  new NacreError("terminal_exited", `the program of ${id} has ended`, {
    suggestion: `See it again with \`nacre play ${uidOf(id)}\`, or read \`nacre logs ${uidOf(id)}\`.`,
  });
