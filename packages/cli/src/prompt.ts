import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { NacreError } from "@nacre/contracts/error";

/** Limit of one input message. */
const MAX_BYTES = 1024 * 1024;

export async function readStandardInput(): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of process.stdin) {
    const part = Buffer.from(chunk as Uint8Array);
    chunks.push(part);
    bytes += part.length;
    if (bytes > MAX_BYTES) {
      throw new NacreError("payload_too_large", `standard input has more than ${MAX_BYTES} bytes`);
    }
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** Words joined by blanks; a single `-` reads standard input. */
export async function readText(words: readonly string[]): Promise<string> {
  return words.length === 1 && words[0] === "-" ? await readStandardInput() : words.join(" ");
}

const hasPerson = (): boolean => process.stdin.isTTY && process.stderr.isTTY;

/** No without a person. */
export async function isConfirmed(question: string): Promise<boolean> {
  if (!hasPerson()) return false;
  const answer = await ask(`${question} [y/N] `);
  return /^y(?:es)?$/i.test(answer.trim());
}

/** Echoed. */
export async function askLine(question: string): Promise<string> {
  requirePerson();
  return await ask(question);
}

/** Not echoed. */
export async function askSecret(question: string): Promise<string> {
  requirePerson();
  // Readline echoes to its output, so it gets one that shows nothing.
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: process.stdin, output: nowhere, terminal: true });
  try {
    // Only now is echo off for whoever reads this and types.
    process.stderr.write(question);
    return await answerOf(lines);
  } finally {
    lines.close();
    process.stderr.write("\n");
  }
}

async function ask(question: string): Promise<string> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    process.stderr.write(question);
    return await answerOf(lines);
  } finally {
    lines.close();
  }
}

/** Ctrl-C or Ctrl-D is no answer. */
function answerOf(lines: ReturnType<typeof createInterface>): Promise<string> {
  return new Promise((resolve, reject) => {
    lines.once("line", resolve);
    lines.once("close", () => {
      reject(new NacreError("invalid_argument", "no answer was given"));
    });
    lines.once("SIGINT", () => lines.close());
  });
}

function requirePerson(): void {
  if (hasPerson()) return;
  throw new NacreError(
    "invalid_argument",
    "standard input is not a terminal, so nobody can be asked",
    {
      suggestion: "Run it in a terminal, or give the answer on standard input with `-`.",
    },
  );
}
