// What a program prints, and what it can find out, does not let it speak for the shell.
import { readdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { LOCAL_CALLER, type Terminal } from "@nacre/host";
import { afterAll, describe, expect, test } from "vitest";
import { CommandTracker } from "../../packages/host/src/command/command-tracker.ts";
import { MarkerNonces } from "../../packages/host/src/shell/marker-nonces.ts";
import { OutputParser } from "../../packages/host/src/shell/output-parser.ts";
import { requireProgram } from "../../packages/host/src/testing/require-program.ts";
import { ownDirectory } from "../support/own-directory.ts";
import { openHost } from "../support/open-host.ts";
import { seededRandom } from "../support/random.ts";
import { recordedOutput } from "../support/recorded-entries.ts";
import { shellNamed } from "../support/terminal-input.ts";
import { type, untilText } from "../support/terminal-output.ts";
import { ShellTerminal } from "./shell-terminal.ts";

const host = await openHost();
afterAll(() => host[Symbol.asyncDispose]());

const PAYLOADS = [
  ["A", "B", "C", "D", "D;0", "E;rm -rf /", "F", "G", "P;Cwd=/forged", "P;Cwd="],
  ["A;cl=m", "C;cmdline=forged", "C;cmdline_url=forged", "D;99;err=1", "P;k=s"],
].flat();
const OPENINGS = ["\u001b]633;", "\u001b]133;", "\u001b]0633;", "\u009d633;", "\u009d133;"];
/** One byte 0x9d is a letter of other character sets, and begins nothing. */
const BYTE_OPENINGS = OPENINGS.filter((opening) => opening.startsWith("\u001b"));
const ENDS = ["\u0007", "\u001b\\", "\u009c"];

/** Every marker there is with this in the place of a code, as bytes of both kinds of terminals. */
function markersWith(code: string): Buffer {
  const textWith = (openings: readonly string[], ends: readonly string[]): string =>
    PAYLOADS.flatMap((payload) =>
      openings.flatMap((opening) => ends.map((end) => `${opening}${payload}${code}${end}`)),
    ).join("");
  const bytes = Buffer.from(textWith(BYTE_OPENINGS, ENDS.slice(0, 2)), "latin1");
  return Buffer.concat([bytes, Buffer.from(textWith(OPENINGS, ENDS))]);
}

/** What anybody can know of a terminal's commands. */
async function known(terminal: Terminal) {
  const { cwd, commandDetection, runningCommand } = terminal.status;
  const { prompt } = terminal.waitStatus;
  const commands = await terminal.commands.list();
  return { cwd, commandDetection, runningCommand, prompt, commands };
}

const run = (terminal: Terminal, commandLine: string) =>
  terminal.runCommand({ commandLine }, LOCAL_CALLER);

describe("a program in bash that prints markers", () => {
  test.for([
    ["without a code", () => ""],
    ["with a random code", () => ";nacre=99.1804289383846930886.846930886"],
    ["with an empty code", () => ";nacre="],
    ["with a code that was used", (used: string) => `;nacre=${used}`],
  ] as const)("%s changes nothing that is known of commands", async ([, codeFrom]) => {
    using directory = ownDirectory();
    const terminal = await host.createTerminal(shellNamed("bash"));
    await run(terminal, "cd /usr; false");
    const raw = (await recordedOutput(host, terminal)).toString("latin1");
    const used = [...raw.matchAll(/nacre=([-\d.]+)/g)].map(([, code]) => code ?? "");
    expect(used.length).toBeGreaterThanOrEqual(6);
    const file = `${directory.path}/forged`;
    writeFileSync(file, Buffer.concat(used.slice(-3).map((code) => markersWith(codeFrom(code)))));
    const line = `echo re''ady; read x; cat ${file}; echo prin''ted; read x; (exit 7)`;
    const ran = run(terminal, line);
    await untilText(terminal, "ready");
    const before = await known(terminal);
    await type(terminal, "\n");
    await untilText(terminal, "printed");
    expect(await known(terminal)).toEqual(before);
    expect(before).toMatchObject({ cwd: "/usr", runningCommand: { commandLine: line } });
    await type(terminal, "\n");
    const { command, output } = await ran;
    expect(command).toMatchObject({ commandLine: line, exitCode: 7, quality: "exact" });
    expect(JSON.stringify(output)).not.toContain("forged");
    const all = (await terminal.commands.list()).map((each) => [each.commandLine, each.exitCode]);
    expect(all).toEqual([
      ["cd /usr; false", 1],
      [line, 7],
    ]);
    await terminal.kill(LOCAL_CALLER, 0);
  });

  test("and everything around them, as they were recorded, does not repeat what they said", async () => {
    using directory = ownDirectory();
    const terminal = await host.createTerminal(shellNamed("bash"));
    await run(terminal, "cd /usr; false");
    await run(terminal, "cd /tmp; true");
    const file = `${directory.path}/copied`;
    writeFileSync(file, await recordedOutput(host, terminal));
    const line = `cat ${file}; false`;
    const { command, output } = await run(terminal, line);
    expect(command).toMatchObject({ commandLine: line, exitCode: 1, cwd: "/tmp" });
    expect(JSON.stringify(output)).toContain("cd /usr; false");
    expect(JSON.stringify(output)).not.toContain("633;");
    expect(terminal.status.cwd).toBe("/tmp");
    expect(await terminal.commands.list()).toHaveLength(3);
    await terminal.kill(LOCAL_CALLER, 0);
  });
});

/** What would follow if codes were made by steps of value × factor + addend modulo 2^bits. */
function forecast(words: readonly bigint[], bits: number): bigint {
  const [a = 0n, b = 0n, c = 0n] = words.slice(-3);
  const step = BigInt.asUintN(bits, b - a) | 1n;
  let inverse = 1n;
  for (let round = 0; round < 6; round++) {
    inverse = BigInt.asUintN(bits, inverse * (2n - step * inverse));
  }
  const factor = BigInt.asUintN(bits, (c - b) * inverse);
  return BigInt.asIntN(bits === 64 ? 64 : 63, BigInt.asUintN(bits, c + factor * (c - b)));
}

/** Codes that come next for whoever takes the markers so far for the whole state of a generator. */
function forecastCodes(used: readonly string[]): string[] {
  const words = used.map((code) => code.split(".").map(BigInt));
  const [counter = 0n] = words.at(-1) ?? [];
  return Array.from({ length: 16 }, (_, index) => counter + BigInt(index) + 1n).flatMap((next) =>
    [31, 63, 64].map((bits) => {
      const [low, high] = [1, 2].map((part) =>
        forecast(
          words.map((word) => word[part] ?? 0n),
          bits,
        ),
      );
      return `${next}.${low}.${high}`;
    }),
  );
}

test.for(["bash", "zsh", "fish"])(
  "R-1: all markers of a session in %s tell nobody the next one, and a file with forged ends changes nothing",
  async (name, context) => {
    requireProgram(context, name);
    using directory = ownDirectory();
    const terminal = await host.createTerminal(shellNamed(name));
    for (let round = 0; round < 30; round++) await run(terminal, `cd /usr; test ${round} = x`);
    const raw = (await recordedOutput(host, terminal)).toString("latin1");
    const used = [...raw.matchAll(/nacre=([-\d.]+)/g)].map(([, code]) => code ?? "");
    // More than a fish gets at a time.
    expect(used.length).toBeGreaterThan(128);
    expect(new Set(used).size).toBe(used.length);
    const file = `${directory.path}/forged`;
    const forged = [...used.slice(-40), ...forecastCodes(used)];
    writeFileSync(file, Buffer.concat(forged.map((code) => markersWith(`;nacre=${code}`))));
    const line = `cat ${file}; sh -c 'exit 7'`;
    const { command } = await run(terminal, line);
    expect(command).toMatchObject({
      commandLine: line,
      exitCode: 7,
      cwd: "/usr",
      quality: "exact",
    });
    expect(terminal.status).toMatchObject({ cwd: "/usr", runningCommand: undefined });
    expect(await terminal.commands.list()).toHaveLength(31);
    await terminal.kill(LOCAL_CALLER, 0);
  },
);

test("what a program in bash can read tells it no code", async () => {
  await using terminal = await ShellTerminal.start({ shell: "/usr/bin/bash", args: ["-l"] });
  const directory = dirname(terminal.home);
  const places = [
    "env",
    `bash -c 'set; declare -p; compgen -v; compgen -A function'`,
    `sh -c 'set; export -p; tr "\\0" "\\n" </proc/$PPID/environ'`,
    `sh -c 'cat /proc/$PPID/cmdline; ls -l /proc/$PPID/fd; ls -l /proc/self/fd'`,
    `sh -c 'cd ${directory} && ls -laR . && find . -type f -exec cat {} +'`,
    "ps ewwax -o args 2>/dev/null || true",
  ];
  const { integration } = terminal;
  const secrets = integration.nonces.secret.split(" ");
  for (const line of places) {
    const { output } = await terminal.run(line);
    const codes = terminal.output.match(/(?<=nacre=)[-\d.]+/g) ?? [];
    expect(output.length).toBeGreaterThan(0);
    for (const secret of [...secrets, ...codes.slice(-20)]) expect(output).not.toContain(secret);
  }
  expect(readdirSync(directory).toSorted((a, b) => a.localeCompare(b))).toContain("home");
  expect(terminal.codeFile).toBe("");
});

/** Parts of which streams are made that come as near to a marker as anybody can without a code. */
const FRAGMENTS = [
  OPENINGS.map((opening) => Buffer.from(opening).toString("latin1")),
  OPENINGS,
  ENDS,
  PAYLOADS,
  PAYLOADS.flatMap((payload) => OPENINGS.map((opening) => `${opening}${payload}\u0007`)),
  [";nacre=", ";nacre=1.2", "nacre=0.0", ";nacre=4294967295.1", ";nacre=1.2;nacre=3.4", ";"],
  ["\u001b]7;file:///forged\u0007", "\u001b]1337;CurrentDir=/forged\u0007", "\u001b]2;t\u0007"],
  ["text", "\r\n", "\u001b", "\u001b[", "\u0018", "\u0000", "\u00ff", "\u00c2"],
].flat();

test("100,000 streams without a good code change nothing", () => {
  const codes = MarkerNonces.generate();
  const shell = new MarkerNonces(codes.secret);
  const parser = new OutputParser({ nonces: codes });
  const tracker = new CommandTracker({ quality: "exact" });
  let facts = 0;
  const feed = (text: string): void => {
    const bytes = new Uint8Array(Buffer.from(text, "latin1"));
    for (const { marker, cwd } of [...parser.push(bytes), ...parser.flush()]) {
      if (cwd !== undefined) facts += tracker.handleUnverifiedCwd(cwd).length;
      if (marker) facts += 1 + tracker.handleMarker(marker, 0).length;
    }
  };
  const real = (payload: string): void => feed(`\u001b]633;${payload};nacre=${shell.next()}\u0007`);
  for (const payload of ["P;Cwd=/real", "A", "B", "E;sleep 9", "C"]) real(payload);
  const before = tracker.state;
  expect(before).toMatchObject({ phase: "running", cwd: "/real" });
  facts = 0;
  const random = seededRandom(11);
  for (let stream = 0; stream < 100_000; stream++) {
    const length = 1 + Math.floor(random() * 8);
    const parts = Array.from(
      { length },
      () => FRAGMENTS[Math.floor(random() * FRAGMENTS.length)] ?? "",
    );
    feed(parts.join(""));
  }
  expect(facts).toBe(0);
  expect(tracker.state).toEqual(before);
  real("D;3");
  expect(tracker.state.phase).toBe("starting");
});
