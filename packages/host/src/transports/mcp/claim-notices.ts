// Tells agents who drives a terminal: they share it with people.
import {
  type CallerId,
  type Claim,
  type ClaimReading,
  NacreError,
  TerminalId,
} from "@nacre/contracts";
import { z } from "zod";
import { readText } from "../../base/text/output-text.ts";
import type { ToolCall } from "./tool.ts";

/** Whoever was told of a takeover is told of its end; the oldest notices are forgotten. */
const MAX_NOTICES = 1024;

/** Advice while somebody else drives. */
const OTHER_DRIVES_ADVICE =
  "Somebody else drives this terminal: type nothing into it unless you were asked to. terminal_claim with action request asks for it.";

const YOURS_AGAIN_ADVICE =
  "The terminal is yours again. Look at terminal_screen or terminal_history before you go on.";

const AboutTerminal = z.object({ terminal_id: TerminalId });

interface Driver {
  /** `you`, or a name. */
  readonly held_by: string;
  readonly since: string;
  /** What that person said. */
  readonly note?: string | undefined;
  /** What to do about it. */
  readonly next: string;
}

export const holderOf = (claim: Claim): string =>
  claim.kind === "client" ? claim.clientId : claim.session;

/** Remembers who was told that somebody else drives, to tell them when it is over. */
export class ClaimNotices {
  readonly #told = new Set<string>();

  /** While somebody else drives, and once when that is over. */
  noticeFor(
    caller: CallerId | undefined,
    id: TerminalId,
    reading: ClaimReading,
  ): Driver | undefined {
    const key = JSON.stringify([caller, id]);
    const { claim, since, holder, note } = reading;
    const said = { note: note && readText(note) };
    if (holder === "other") {
      this.#remember(key);
      return { held_by: readText(holderOf(claim)), since, ...said, next: OTHER_DRIVES_ADVICE };
    }
    if (!this.#told.delete(key)) return undefined;
    return { held_by: holder, since, ...said, next: YOURS_AGAIN_ADVICE };
  }

  #remember(key: string): void {
    this.#told.delete(key);
    this.#told.add(key);
    const [oldest] = this.#told;
    if (oldest !== undefined && this.#told.size > MAX_NOTICES) this.#told.delete(oldest);
  }
}

export interface DriverContext {
  readonly told: ClaimNotices;
  /** Where the server acts for several. */
  readonly callerId?: CallerId | undefined;
}

/** Added to a tool's answer, where it matters who drives. */
export async function readClaimFacts(
  call: ToolCall,
  given: unknown,
  { told, callerId }: DriverContext,
): Promise<{ readonly driver?: Driver | undefined }> {
  const about = AboutTerminal.safeParse(given);
  if (!about.success) return {};
  const id = about.data.terminal_id;
  try {
    return { driver: told.noticeFor(callerId, id, await call.ask("readClaim", { id })) };
  } catch (error) {
    // Nobody drives an ended terminal, and callers that may not know are not told.
    if (error instanceof NacreError) return {};
    throw error;
  }
}
