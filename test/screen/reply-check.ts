// What may be typed into a terminal as the answer to a query.
import { PAYLOADS } from "./fuzz-sequences.ts";

/** Every form there is; the numbers in it are ours, and have at most four digits. */
const FORMS: readonly string[] = [
  String.raw`\x1b\[\?1;2c`,
  String.raw`\x1b\[>0;276;0c`,
  String.raw`\x1bP>\|nacre\x1b\\`,
  String.raw`\x1b\[0n`,
  String.raw`\x1b\[\??\d{1,4};\d{1,4}R`,
  String.raw`\x1b\[\??\d{1,4};[0-4]\$y`,
  String.raw`\x1bP0\$r\x1b\\`,
  String.raw`\x1bP1\$r(?:0m|\d{1,4};\d{1,4}r|[1-6] q|[0-2]"q|61;1"p)\x1b\\`,
  String.raw`\x1b\](?:4;\d{1,3}|1[0-2]);rgb:[\da-f]{4}/[\da-f]{4}/[\da-f]{4}\x1b\\`,
  String.raw`\x1b\[[4689];\d{1,5};\d{1,5}t`,
];

const FORM = new RegExp(`^(?:${FORMS.join("|")})$`);

const RUN_BYTES = 4;

/** All runs of four characters in what must never come back. */
const RUNS: readonly string[] = PAYLOADS.flatMap((payload) =>
  Array.from({ length: Math.max(1, payload.length - RUN_BYTES + 1) }, (_, at) =>
    payload.slice(at, at + RUN_BYTES),
  ),
);

/** What is wrong with an answer; nothing when it is one of the fixed forms. */
export function wrongOfReply(reply: string): string | undefined {
  const shown = JSON.stringify(reply);
  if (/[\r\n]/.test(reply)) return `${shown} has the end of a line`;
  const run = RUNS.find((one) => reply.includes(one));
  if (run !== undefined) return `${shown} has ${JSON.stringify(run)} of what was asked`;
  return FORM.test(reply) ? undefined : `${shown} is no known form`;
}
