import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type MarkerMeaning, parseMarker } from "./marker.ts";
import { MarkerNonces } from "./marker-nonces.ts";

/** Prefix of our markers, before payload and nonce. */
const MARKER_START = "\u001b]633;";

/** Shells that can send markers; `sh` is dash, or bash when called sh. */
type IntegratedShell = "bash" | "zsh" | "fish" | "sh";

export interface IntegrationInput {
  readonly shell: string;
  readonly args: readonly string[];
  /** The complete environment. */
  readonly env: Readonly<Record<string, string>>;
  /** A private directory may be made in here. */
  readonly directory: string;
}

/** How to start a shell so that it sends markers, and how to verify those. */
export interface Integration {
  readonly shell: IntegratedShell;
  /** Replaces the arguments. */
  readonly args: readonly string[];
  /** Added to the environment, or overriding it. */
  readonly env: Readonly<Record<string, string>>;
  readonly nonces: MarkerNonces;
  /** `exact`: the shell reports start and end of each command; `estimated`: only its prompts. */
  readonly quality: "exact" | "estimated";
  /** Removes the files written for the shell; after its first prompt it needs none of them. */
  dispose(): Promise<void>;
}

/** How secret and scripts reach each shell. */
interface Delivery {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly keyFile: string;
}

/** Arguments that do not change which start-up files a shell reads, or only in ways the scripts handle. */
const KNOWN_ARGUMENTS: Readonly<Record<IntegratedShell, RegExp>> = {
  bash: /^(?:--login|-[il]+)$/,
  zsh: /^(?:--login|-[il]+)$/,
  fish: /^(?:--login|--interactive|-[il]+)$/,
  sh: /^-i$/,
};

/** The scripts are not modules, so a build leaves them in src; the path is the same from sources and from a build. */
const SCRIPTS = fileURLToPath(new URL("../../src/shell/scripts/", import.meta.url));

/** Prepares a shell to send markers with nonces; undefined where that would change its behaviour. */
export async function prepareIntegration(
  input: IntegrationInput,
): Promise<Integration | undefined> {
  const shell = await recogniseShell(input.shell);
  if (!shell || !input.args.every((arg) => KNOWN_ARGUMENTS[shell].test(arg))) return undefined;
  // POSIX mode reads other files, and the script would leave that mode.
  if (shell === "bash" && input.env["POSIXLY_CORRECT"] !== undefined) return undefined;
  const nonces = MarkerNonces.generate();
  await mkdir(input.directory, { recursive: true, mode: 0o700 });
  // mkdtemp makes it accessible to its owner only.
  const directory = await mkdtemp(join(input.directory, "shell-"));
  const dispose = (): Promise<void> => rm(directory, { recursive: true, force: true });
  const keyFile = join(directory, "code");
  try {
    await writeFile(keyFile, `${nonces.secret}\n`, { mode: 0o600, flag: "wx" });
  } catch (error) {
    await dispose();
    throw error;
  }
  const { args, env } = input;
  const quality = shell === "sh" ? "estimated" : "exact";
  return { shell, ...buildLaunch(shell, { args, env, keyFile }), nonces, quality, dispose };
}

/** State of an integration that another host can resume. */
export interface SavedIntegration {
  readonly shell: IntegratedShell;
  readonly quality: Integration["quality"];
  readonly secret: string;
}

/**
 * Resumes with a shell that another host prepared, by its latest output; undefined where that contains none of its
 * nonces.
 */
export function resumeIntegration(
  { shell, quality, secret }: SavedIntegration,
  written: string,
): Integration | undefined {
  const nonces = MarkerNonces.resume(secret, written);
  // It showed a prompt, so it needs none of its files any more.
  const dispose = async (): Promise<void> => undefined;
  return nonces && { shell, args: [], env: {}, nonces, quality, dispose };
}

/**
 * The line that the shell reported in its last marker at the very end of its output: the command has not started yet.
 */
export function readPendingLine(
  written: string,
  { nonces }: Integration,
): Extract<MarkerMeaning, { kind: "commandLine" }> | undefined {
  const start = written.lastIndexOf(MARKER_START);
  const suffix = `;nacre=${nonces.newest}\u0007`;
  const isLast = start >= 0 && written.endsWith(suffix) && written.indexOf(suffix) > start;
  if (!isLast) return undefined;
  const marker = parseMarker(633, written.slice(start + MARKER_START.length, -suffix.length));
  return marker?.kind === "commandLine" ? marker : undefined;
}

/** What the shell drew after its prompt; undefined where its last marker does not end a prompt. */
export function drawnAtPromptOf(written: string, { nonces }: Integration): string | undefined {
  const suffix = `;nacre=${nonces.newest}\u0007`;
  const end = written.lastIndexOf(suffix);
  const start = written.lastIndexOf(MARKER_START, end);
  if (end < 0 || start < 0) return undefined;
  const marker = parseMarker(633, written.slice(start + MARKER_START.length, end));
  return marker?.kind === "promptEnd" ? written.slice(end + suffix.length) : undefined;
}

async function recogniseShell(path: string): Promise<IntegratedShell | undefined> {
  // Apple's bash ignores ENV.
  if (process.platform === "darwin" && path === "/bin/bash") return undefined;
  switch (basename(path)) {
    case "bash":
      return "bash";
    case "zsh":
      return "zsh";
    case "fish":
      return "fish";
    case "dash":
      return "sh";
    case "sh":
      return /^(?:dash|bash)$/.test(basename(await realpath(path))) ? "sh" : undefined;
  }
  return undefined;
}

function buildLaunch(
  shell: IntegratedShell,
  { args, env, keyFile }: Delivery,
): Pick<Integration, "args" | "env"> {
  switch (shell) {
    case "bash":
      // Only in POSIX mode does bash read a file of our choice (ENV) before all others; the script leaves that mode.
      return { args: ["--posix", ...args], env: throughEnv("bash.sh", env, keyFile) };
    case "sh":
      return { args, env: throughEnv("sh.sh", env, keyFile) };
    case "zsh":
      return {
        args,
        env: {
          NACRE_SHELL_CODE: keyFile,
          ZDOTDIR: join(SCRIPTS, "zsh"),
          ...(env["ZDOTDIR"] === undefined ? {} : { NACRE_SHELL_ZDOTDIR: env["ZDOTDIR"] }),
        },
      };
    case "fish": {
      const command = `source ${quoteForFish(join(SCRIPTS, "fish.fish"))} ${quoteForFish(keyFile)}`;
      return { args: [...args, "--init-command", command], env: {} };
    }
  }
}

function throughEnv(
  script: string,
  env: Delivery["env"],
  keyFile: string,
): Readonly<Record<string, string>> {
  return {
    NACRE_SHELL_CODE: keyFile,
    ENV: quoteForExpansion(join(SCRIPTS, script)),
    ...(env["ENV"] === undefined ? {} : { NACRE_SHELL_ENV: env["ENV"] }),
  };
}

/** Shells expand ENV like a here-document. */
const quoteForExpansion = (path: string): string => path.replace(/[\\$`]/g, String.raw`\$&`);

const quoteForFish = (text: string): string => `'${text.replace(/[\\']/g, String.raw`\$&`)}'`;
