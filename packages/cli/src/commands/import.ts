import { safeText } from "@nacre/client/ui";
import { openAsBlob } from "node:fs";
import { resolve } from "node:path";
import { Readable } from "node:stream";
import type { ReadableStream } from "node:stream/web";
import type { Command } from "../command.ts";
import { parseWholeOwner } from "../option-values.ts";
import { Progress, withProgress } from "../print.ts";
import { fileProblem } from "../write-file.ts";

export const importCommand: Command = {
  name: "import",
  section: "recordings",
  makesHome: true,
  summary: "Read asciicasts, so that they can be searched and played",
  description:
    "Casts of versions 1, 2 and 3. Each becomes a terminal that has ended; its id is printed.",
  arguments: [
    {
      name: "file",
      description: "Casts to read; - for standard input",
      isMany: true,
      completes: "files",
    },
  ],
  options: [
    { name: "owner", value: "KIND:ID", description: "Whose it is to be" },
    { name: "cwd", value: "DIR", description: "Where the program is said to have run" },
  ],
  examples: [
    { line: "nacre import demo.cast", about: "one" },
    { line: "nacre import - < demo.cast", about: "from standard input" },
  ],

  async run(context) {
    const { args, options, isQuiet } = context;
    const owner = options.text("owner");
    const cwd = options.text("cwd");
    const input = {
      ...(owner === undefined ? {} : { owner: parseWholeOwner(owner) }),
      ...(cwd === undefined ? {} : { workingDirectory: resolve(cwd) }),
    };
    const client = await context.client();
    using progress = new Progress(isQuiet);
    const imported = [];
    for (const file of args) {
      const body = await bodyOf(file, progress);
      imported.push({ file, ...(await client.importRecording(input, body)) });
    }
    return { result: { imported }, text: imported.map(({ id }) => safeText(id)).join("\n") };
  },
};

/** Counts as it reads. */
async function bodyOf(file: string, progress: Progress): Promise<ReadableStream<Uint8Array>> {
  if (file === "-") return streamOf(process.stdin, { progress, what: "importing" });
  try {
    const blob = await openAsBlob(file);
    return streamOf(blob.stream(), {
      progress,
      what: `importing ${safeText(file)}`,
      total: blob.size,
    });
  } catch (error) {
    throw fileProblem(file, error);
  }
}

const streamOf = (
  source: AsyncIterable<Uint8Array>,
  options: Parameters<typeof withProgress>[1],
): ReadableStream<Uint8Array> =>
  Readable.toWeb(Readable.from(withProgress(source, options), { objectMode: false }));
