import { CallerId, CommandId, type SearchQuery } from "@nacre/contracts";
import { afterAll, describe, expect, test } from "vitest";
import { terminalId, terminalRow } from "../../testing/terminal-row.ts";
import { Recordings } from "../recordings.ts";
import { A, bytes, kindsOf, Output, TestDirectory } from "../testing/recordings.ts";

const directory = new TestDirectory();
afterAll(() => directory[Symbol.dispose]());

describe.each(kindsOf(directory))("search in recordings %s", (_name, options) => {
  const opened = () => Recordings.open(options());

  test("text is found while the program still runs, with its command and around it", async () => {
    await using recordings = await opened();
    const recording = await recordings.create(terminalRow("a"));
    await recording.append({ type: "header", cols: 80, rows: 24 });
    const output = new Output(recording);
    await output.write("$ make\r\n");
    const commandId = CommandId.parse("c1");
    await recording.append({
      type: "command",
      commandId,
      commandLine: "make",
      cwd: "/src/app",
      quality: "exact",
    });
    await output.write("before\r\n\u001b[31mneedle-7351\u001b[0m at src/a/b.ts:42\r\nafter\r\n");
    await recording.append({ type: "commandEnd", commandId, exitCode: 2, endedBy: "marker" });
    await recordings.whenIndexed();
    const finding: SearchQuery[] = [
      { text: "needle-7351" },
      { text: "NEEDLE*" },
      { text: "eedle-73", mode: "substring" },
      { text: "src/a/b.ts:42", mode: "substring" },
      { text: "needle-\\d{4} at", mode: "regex" },
      { text: "needle-7351", exit: "failure", cwd: "/src", command: "mak" },
      { text: "needle-7351", exit: 2, types: ["output"], terminalIds: [A] },
      { text: "needle-7351", owner: { entityName: "Task", entityId: "7" } },
    ];
    for (const query of finding) {
      const result = await recordings.search({ ...query, context: 1 });
      expect({ query, ...result }).toMatchObject({
        query,
        truncated: false,
        hits: [
          {
            terminalId: A,
            sequence: 4,
            type: "output",
            line: "needle-7351 at src/a/b.ts:42",
            linesBefore: ["before"],
            linesAfter: ["after"],
            command: { commandLine: "make", exitCode: 2, cwd: "/src/app" },
          },
        ],
      });
    }
    const missing: Partial<SearchQuery>[] = [
      { exit: "success" },
      { cwd: "/sr" },
      { command: "test" },
      { owner: { entityName: "Mission" } },
      { terminalIds: [terminalId("b")] },
      { types: ["input"] },
      { caller: CallerId.parse("ann") },
      { until: "2020-01-01T00:00:00Z" },
      { since: "2999-01-01T00:00:00Z" },
    ];
    for (const query of missing) {
      const result = await recordings.search({ text: "needle-7351", ...query });
      expect({ query, ...result }).toEqual({ query, hits: [], truncated: false });
    }
  });

  test("what somebody typed is found by who typed it; a secret is found nowhere", async () => {
    await using recordings = await opened();
    const recording = await recordings.create(terminalRow("a"));
    const by = CallerId.parse("ann");
    const keys = { by, isSecret: false };
    for (const key of "lx\u007fs -l\r") await recording.appendInput({ ...keys, data: bytes(key) });
    const asked = { by, isSecret: true };
    for (const key of "hunter2\r") await recording.appendInput({ ...asked, data: bytes(key) });
    await recordings.whenIndexed();
    expect(
      (await recordings.search({ text: "ls -l", mode: "substring", caller: by })).hits,
    ).toMatchObject([{ type: "input", line: "ls -l", sequence: 1 }]);
    expect((await recordings.search({ text: "hunter2", mode: "substring" })).hits).toEqual([]);
    const { entries } = await recordings.findEntries({ terminalId: A, types: ["input"], after: 7 });
    expect(entries.at(-1)).toMatchObject({ redacted: true, lengthBucket: "1-8", by });
    expect(JSON.stringify(entries)).not.toContain("hunter2");
  });

  test("hits come newest first, page by page, each once", async () => {
    await using recordings = await opened();
    const recording = await recordings.create(terminalRow("a"));
    const output = new Output(recording);
    for (let n = 0; n < 3000; n++)
      void output.write(`line ${n} ${n % 100 === 0 ? "rare" : "usual"} padding padding\r\n`);
    await output.write("end\r\n");
    await recordings.whenIndexed();
    const lines: string[] = [];
    let after: string | undefined;
    do {
      const page = await recordings.search({
        text: "rare",
        limit: 7,
        ...(after === undefined ? {} : { after }),
      });
      lines.push(...page.hits.map(({ line }) => line.split(" ")[1] ?? ""));
      after = page.nextAfter;
    } while (after !== undefined);
    expect(lines).toEqual(Array.from({ length: 30 }, (_, n) => `${2900 - n * 100}`));
  });
});

test("R-5: patterns that take others for ever are answered, and refused where they cannot be", async () => {
  await using recordings = await Recordings.open();
  const recording = await recordings.create(terminalRow("a"));
  await new Output(recording).write(`${"a".repeat(5000)}!\r\n`);
  await recordings.whenIndexed();
  const regex = (text: string) => recordings.search({ text, mode: "regex" });
  for (const text of ["(a+)+$", "(a|aa)+$", "(a*)*b", "a*a*a*a*a*a*a*a*b"]) {
    expect((await regex(text)).hits).toEqual([]);
  }
  expect((await regex("(a+)+!")).hits).toHaveLength(1);
  for (const text of [
    "(?=a)a",
    "(?<!b)a",
    "(a)\\1",
    "(?<n>a)\\k<n>",
    "(a{1,1000}){1,1000}",
    "(a",
  ]) {
    await expect(regex(text)).rejects.toMatchObject({ code: "invalid_argument", field: "text" });
  }
});
