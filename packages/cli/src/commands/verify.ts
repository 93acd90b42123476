import { type After, PAGE_ROWS, readAll, safeText } from "@nacre/client/ui";
import type { RecordingVerdict, TerminalId } from "@nacre/contracts";
import type { Command } from "../command.ts";
import type { Context } from "../context.ts";
import { Progress } from "../print.ts";
import { TERMINAL } from "../terminal-words.ts";

export const verifyCommand: Command = {
  name: "verify",
  section: "recordings",
  summary: "Prove that a recording is what was recorded",
  description:
    "Every entry has the digest of the one before in its own, so that nothing can be changed, left out or put in between without being noticed.",
  arguments: [{ ...TERMINAL, isMany: true }],
  options: [{ name: "all", short: "a", description: "All recordings there are" }],
  examples: [
    { line: "nacre verify build", about: "one" },
    { line: "nacre verify --all", about: "everything" },
  ],
  exitCodes: [["1", "a recording is not what was recorded"]],

  async run(context) {
    const { args, call, options, isQuiet, style } = context;
    const words: readonly (string | undefined)[] = args.length > 0 ? args : [undefined];
    const ids = options.has("all")
      ? await allIds(context)
      : (await Promise.all(words.map((word) => context.terminal(word)))).map(({ id }) => id);
    using progress = new Progress(isQuiet);
    const verdicts: RecordingVerdict[] = [];
    for (const id of ids) {
      progress.say(`verifying ${verdicts.length + 1} of ${ids.length}`);
      verdicts.push(await call("verifyRecording", { id }));
    }
    const isGood = verdicts.every(({ ok }) => ok);
    const lines = verdicts
      .filter(({ ok }) => !isQuiet || !ok)
      .map(({ ok, id, entries, firstBadSequence, reason }) =>
        ok
          ? `${style.green("✓")} ${safeText(id)}  ${entries} entries`
          : `${style.red("✗")} ${safeText(id)}  wrong at ${firstBadSequence}: ${safeText(reason ?? "")}`,
      );
    return { result: { ok: isGood, verdicts }, text: lines.join("\n"), exitCode: isGood ? 0 : 1 };
  },
};

async function allIds({ call }: Context): Promise<readonly TerminalId[]> {
  const recordings = await readAll(
    (after: After<TerminalId>) => call("listRecordings", { limit: PAGE_ROWS, ...after }),
    (page) => page.recordings,
  );
  return recordings.map(({ id }) => id);
}
