import { expect, test } from "vitest";
import { type InputFacts, secretMoment } from "./secret-moment.ts";

const COOKED = { echo: true, canonical: true };
const HIDDEN = { echo: false, canonical: true };
const RAW = { echo: false, canonical: false };
const UNKNOWN = { echo: undefined, canonical: undefined };

const BASE: InputFacts = {
  ...COOKED,
  phase: "running",
  bracketedPaste: false,
  shell: undefined,
  lastLine: "",
  isSecretOpen: false,
  silentRead: undefined,
};

const ASKS = { lastLine: "Password: " };
const EDITS = { ...RAW, bracketedPaste: true, shell: "leader" } as const;

test.for<[string, Partial<InputFacts>, ReturnType<typeof secretMoment>]>([
  ["a program that shows a line", COOKED, "shown"],
  ["a program that shows a line and asks for a password", { ...COOKED, ...ASKS }, "shown"],
  ["read -s, sudo, ssh, getpass", HIDDEN, "asked"],
  ["read -s whose marker is not read yet", { ...HIDDEN, phase: "prompt" }, "asked"],
  ["read -s in a shell without markers", { ...HIDDEN, phase: "unknown", shell: "leader" }, "asked"],
  ["a full-screen program", RAW, "unsaid"],
  ["a question with stars", { ...RAW, ...ASKS }, "asked"],
  ["the second key of such a question", { ...RAW, isSecretOpen: true }, "asked"],
  ["such a question with ECHO on", { echo: true, canonical: false, ...ASKS }, "shown"],
  [
    "such a question of a program with bracketed paste",
    { ...EDITS, shell: undefined, ...ASKS },
    "asked",
  ],
  ["P-A1: the prompt of bash or zsh", { ...EDITS, phase: "prompt" }, "shown"],
  ["P-A1: a prompt that says password", { ...EDITS, ...ASKS, phase: "prompt" }, "shown"],
  ["P-A1: the prompt of a shell without bracketed paste", { ...RAW, phase: "prompt" }, "shown"],
  ["P-A1: an unfinished command line", { ...EDITS, phase: "continuation" }, "shown"],
  ["P-A1: a shell without markers at its prompt", { ...EDITS, ...ASKS, phase: "unknown" }, "shown"],
  ["P-A1: a shell that starts", { ...EDITS, ...ASKS, phase: "starting" }, "shown"],
  ["P-A1: a shell in the shell", { ...EDITS, ...ASKS, shell: "nested" }, "shown"],
  ["read -s of fish, which edits the line", { ...EDITS, ...ASKS }, "asked"],
  ["P-A1: read -s of fish without a word", { ...EDITS, silentRead: "certain" }, "asked"],
  ["P-A1: read of fish", EDITS, "unsaid"],
  [
    "P-A1: the prompt after read -s of fish",
    { ...EDITS, silentRead: "certain", phase: "prompt" },
    "shown",
  ],
  [
    "P-A1: a shell in read -s of fish",
    { ...EDITS, silentRead: "certain", shell: "nested" },
    "shown",
  ],
  [
    "the rest of a secret, at the prompt",
    { ...EDITS, phase: "prompt", isSecretOpen: true },
    "shown",
  ],
  ["a platform that cannot tell", UNKNOWN, "unsaid"],
  ["such a platform at a prompt", { ...UNKNOWN, phase: "prompt" }, "shown"],
])("%s", ([, facts, moment]) => {
  expect(secretMoment({ ...BASE, ...facts })).toBe(moment);
});
