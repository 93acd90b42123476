import { expect, test } from "vitest";
import type { ForegroundState } from "./foreground-state.ts";
import { type AnswerReader, decideAnswerReader, type InputFacts } from "./secret-moment.ts";

const FACTS: InputFacts = {
  echo: true,
  canonical: true,
  phase: "running",
  bracketedPaste: false,
  shell: undefined,
  lastLine: "",
  isSecretOpen: false,
  silentRead: undefined,
};
const LINE: ForegroundState = { kind: "line", jobRuns: true };
const IDLE: ForegroundState = { kind: "line", jobRuns: false, shellIdle: { lineEditor: false } };
const RELAYED: ForegroundState = { kind: "key", jobRuns: true, foreground: "relay" };
const BUSY: ForegroundState = { jobRuns: true };
const EDITS = { echo: false, canonical: false, bracketedPaste: true } as const;
const UNKNOWN = { echo: undefined, canonical: undefined };

test.for<[string, Partial<InputFacts>, ForegroundState, AnswerReader]>([
  ["a program that reads a line", {}, LINE, "program"],
  ["a program that reads a secret", { echo: false }, { ...LINE, kind: "secret" }, "program"],
  ["a menu", { ...EDITS }, { ...LINE, kind: "key" }, "program"],
  ["read of a shell with markers", { shell: "leader" }, IDLE, "program"],
  ["a program without a shell", { phase: "unknown" }, LINE, "program"],
  ["a program that works", {}, BUSY, "nobody"],
  ["P-A1: the prompt", { ...EDITS, phase: "prompt" }, IDLE, "shell"],
  ["P-A1: the prompt of a shell that edits no lines", { phase: "prompt" }, IDLE, "shell"],
  ["P-A1: an unfinished line", { ...EDITS, phase: "continuation" }, IDLE, "shell"],
  ["P-A1: a shell without markers", { phase: "unknown", shell: "leader" }, IDLE, "shell"],
  ["P-A1: a shell in the shell", { ...EDITS, shell: "nested" }, { ...LINE, kind: "key" }, "shell"],
  ["P-A1: dash in the shell", {}, { ...LINE, foreground: "shell" }, "shell"],
  [
    "a secret that a shell in the shell asks for",
    { echo: false },
    { ...LINE, kind: "secret", foreground: "shell" },
    "program",
  ],
  ["P-A1: a shell behind ssh", { ...EDITS, shell: undefined }, RELAYED, "shell"],
  ["P-A1: dash behind script", { echo: false, canonical: false, lastLine: "# " }, RELAYED, "shell"],
  [
    "a program behind ssh",
    { echo: false, canonical: false, lastLine: "Continue? [Y/n] " },
    RELAYED,
    "program",
  ],
  [
    "a password behind ssh",
    { echo: false, canonical: false, lastLine: "Password: " },
    { ...RELAYED, kind: "secret" },
    "program",
  ],
  [
    "psql of a superuser",
    { echo: false, canonical: false, bracketedPaste: true, lastLine: "postgres=# " },
    LINE,
    "program",
  ],
  ["a platform that cannot tell, with a command", UNKNOWN, { jobRuns: false }, "program"],
  ["a platform that cannot tell", { ...UNKNOWN, phase: "unknown" }, { jobRuns: false }, "nobody"],
])("%s", ([, facts, waiting, reader]) => {
  expect(decideAnswerReader({ ...FACTS, ...facts }, waiting)).toBe(reader);
});
