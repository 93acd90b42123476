import {
  Claim,
  ExecMode,
  InputPolicy,
  InputRecording,
  NacreError,
  TerminalId,
} from "@nacre/contracts";
import { z } from "zod";
import { MarkerNonces } from "../shell/marker-nonces.ts";

/** What a recording does not contain and the adopting host needs; values of another version fall back to the safest. */
const AdoptionState = z.object({
  terminalId: TerminalId,
  inputPolicy: InputPolicy.optional().catch("holder"),
  trustForeignMarkers: z.boolean().optional().catch(undefined),
  whenOwnerEnds: z.enum(["kill", "keep"]).optional().catch("keep"),
  mode: ExecMode.optional(),
  endAt: z.number().optional().catch(undefined),
  keepBackground: z.boolean().optional().catch(true),
  /** Who drives a command by itself first. */
  claim: Claim.optional().catch(undefined),
  strict: z.boolean().optional().catch(undefined),
  inputRecording: InputRecording.optional().catch("off"),
  integration: z
    .object({
      shell: z.enum(["bash", "zsh", "fish", "sh"]),
      quality: z.enum(["exact", "estimated"]),
      secret: z.string().refine((text) => MarkerNonces.isSecret(text)),
    })
    .optional()
    .catch(undefined),
});

const OnlyId = z.object({ terminalId: TerminalId });

/** What is kept with a Pty. */
export type AdoptionState = z.infer<typeof AdoptionState>;

/** A memo as text. */
export const serializeAdoptionState = (memo: AdoptionState): string => JSON.stringify(memo);

/** A memo that was kept; undefined without one, and `unsupported` for what only another version can read. */
export function parseAdoptionState(text: string | undefined): AdoptionState | undefined {
  if (text === undefined) return undefined;
  const { success, data } = AdoptionState.safeParse(parseJson(text));
  if (success) return data;
  const id = parseAdoptedId(text) ?? "a terminal";
  throw new NacreError("unsupported", `what is kept of ${id} cannot be read by this version`, {
    suggestion: "Its program is left as it is; go on with it in the version that started it.",
  });
}

/** Which terminal a memo tells of, also one that cannot be read otherwise. */
export const parseAdoptedId = (text: string | undefined): TerminalId | undefined =>
  text === undefined ? undefined : OnlyId.safeParse(parseJson(text)).data?.terminalId;

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
