import { ExecMode, InputPolicy, InputRecording, TerminalId } from "@nacre/contracts";
import { z } from "zod";

/** What no recording tells of a Terminal, and the host that goes on with it has to know. */
const Memo = z.object({
  terminalId: TerminalId,
  inputPolicy: InputPolicy.optional(),
  trustForeignMarkers: z.boolean().optional(),
  whenOwnerEnds: z.enum(["kill", "keep"]).optional(),
  mode: ExecMode.optional(),
  strict: z.boolean().optional(),
  inputRecording: InputRecording.optional(),
  integration: z
    .object({
      shell: z.enum(["bash", "zsh", "fish", "sh"]),
      quality: z.enum(["exact", "estimated"]),
      secret: z.string(),
    })
    .optional(),
});

/** What is kept with a Pty. */
export type Memo = z.infer<typeof Memo>;

/** A memo as text. */
export const writeMemo = (memo: Memo): string => JSON.stringify(memo);

/** A memo that was kept; undefined when it is none. */
export function readMemo(text: string | undefined): Memo | undefined {
  if (text === undefined) return undefined;
  try {
    return Memo.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined; // It is no JSON: nobody here wrote it.
  }
}
