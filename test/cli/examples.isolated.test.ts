// Every example of every verb is run as it is printed.
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { declaredVerbs } from "../../packages/cli/src/help.ts";
import { parseWords } from "../../packages/cli/src/parse-words.ts";
import { NacreHome } from "./nacre-home.ts";

const MAX_MS = 60_000;

const home = new NacreHome();
const verbs = await declaredVerbs();
const examples = verbs.flatMap((verb) =>
  verb.examples.map((example) => ({ verb, ...example, name: verb.name })),
);
/** The daemon is ended when nothing needs it any more. */
const ordinary = examples.filter(({ kind, name }) => kind === undefined && name !== "stop");

async function must(line: string): Promise<string> {
  const { code, stdout, stderr } = await home.sh(line);
  if (code !== 0) throw new Error(`${line} ended with ${code}: ${stderr}`);
  return stdout;
}

/** What the examples of a verb take for granted, made anew before each of them. */
const SETTINGS: Readonly<Record<string, readonly string[]>> = {
  answer: [
    "nacre rm -f question secret >/dev/null 2>&1 || true",
    `nacre new -n question -- python3 -c 'input("Go on? ")'`,
    `nacre new -n secret -- bash -c 'read -s -p "Password: " answer'`,
    "nacre wait question --input-needed --after 0",
    "nacre wait secret --input-needed --after 0",
  ],
  release: ["nacre handover build --to session:agent-7", "nacre claim build"],
};

beforeAll(async () => {
  writeFileSync(join(home.work, "notes.txt"), "echo from a file\n");
  await must("nacre new --name build");
  await must("nacre new --name web");
  await must('nacre send build "echo hello; echo ready" --enter --wait');
  await must('nacre send build "echo hello again" --enter --wait');
  await must("nacre export build -o demo.cast");
  // The index follows what was recorded.
  await vi.waitFor(() => must("nacre search hello --exit ok"), { timeout: MAX_MS, interval: 100 });
}, MAX_MS);

afterAll(() => home[Symbol.asyncDispose](), MAX_MS);

test("every verb has examples, and no two of them are the same", () => {
  expect(verbs.filter((verb) => verb.examples.length === 0)).toEqual([]);
  expect(new Set(examples.map(({ line }) => line)).size).toBe(examples.length);
});

test.each(ordinary)(
  "$line works as it is printed",
  async ({ line, name }) => {
    for (const setting of SETTINGS[name] ?? []) await must(setting);
    const { code, stderr } = await home.sh(line);
    expect({ code, stderr: stderr.replace(/^nacre: runs as root.*\n/m, "") }).toEqual({
      code: 0,
      stderr: "",
    });
  },
  MAX_MS,
);

test.each(examples.filter(({ kind }) => kind === "keys"))(
  "$line is a line that the verb takes",
  ({ verb, line }) => {
    const [, , ...words] = line.split(" ");
    expect(parseWords(verb, words).options.has("help")).toBe(false);
  },
);

describe("what lasts", () => {
  test.each(examples.filter(({ kind }) => kind === "lasts"))(
    "$line goes on until it is ended",
    async ({ line, name }) => {
      await using other = new NacreHome();
      // A second daemon for the same home would be refused.
      const child = (name === "serve" ? other : home).start(`exec ${line}`);
      const ended = once(child, "exit");
      let said = "";
      child.stdout?.on("data", (chunk: Buffer) => (said += chunk.toString()));
      await vi.waitFor(
        async () => {
          if (child.exitCode === null) await must("nacre keys build Enter");
          expect(said !== "" || child.exitCode === 0).toBe(true);
        },
        { timeout: MAX_MS, interval: 100 },
      );
      if (child.exitCode === null) child.kill();
      const [code, signal] = (await ended) as [number | null, string | null];
      expect([0, "SIGTERM"]).toContain(code ?? signal);
    },
    MAX_MS,
  );
});

test(
  "`nacre stop` ends the daemon that the first verb started, with its programs or without them",
  async () => {
    expect(await must("nacre stop --keep")).toMatch(/has ended/);
    expect(await must("nacre ls")).toContain("build");
    expect(await must("nacre stop")).toMatch(/has ended/);
    expect((await home.sh("nacre status")).code).toBe(7);
  },
  MAX_MS,
);
