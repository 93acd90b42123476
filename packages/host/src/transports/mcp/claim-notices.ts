// Who drives a terminal, as answers tell it: agents and people use the same ones.
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

/** Who was told of a take-over is told of its end; whoever comes back after so many others looks for itself. */
const MAX_NOTICES = 1024;

/** What somebody else who drives a terminal means to an agent. */
const OTHER_DRIVES_ADVICE =
  "Somebody else drives this terminal: type nothing into it unless you were asked to. terminal_claim with action request asks for it.";

const YOURS_AGAIN_ADVICE =
  "The terminal is yours again. Look at terminal_screen or terminal_history before you go on.";

/** Arguments that are about one terminal. */
const AboutTerminal = z.object({ terminal_id: TerminalId });

/** Who drives a terminal, as answers tell it. */
interface Driver {
  /** Who it is: `you`, or by name. */
  readonly held_by: string;
  readonly since: string;
  /** What that person said. */
  readonly note?: string | undefined;
  /** What to do about it. */
  readonly next: string;
}

/** Who a claim names, in a word. */
export const holderOf = (claim: Claim): string =>
  claim.kind === "client" ? claim.clientId : claim.session;

/** Remembers who was told that somebody else drives a terminal, so that it can be told that this is over. */
export class ClaimNotices {
  readonly #told = new Set<string>();

  /** What to tell a caller of who drives: of somebody else as long as that lasts, and once that it is over. */
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

/** Who is asked, and what was told before. */
export interface DriverContext {
  readonly told: ClaimNotices;
  /** Whom the server speaks for, where it speaks for several. */
  readonly callerId?: CallerId | undefined;
}

/** What to add to the answer of a tool that was used with these arguments: who drives the terminal, where that matters. */
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
    // Nobody drives a terminal that ended, and whoever may not know is not told.
    if (error instanceof NacreError) return {};
    throw error;
  }
}
