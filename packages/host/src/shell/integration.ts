import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type MarkerMeaning, parseMarker } from "./marker.ts";
import { MarkerNonces } from "./marker-nonces.ts";

/** How a Marker of ours begins, before its payload and its nonce. */
const MARKER_START = "\u001b]633;";

/** The shells that can be made to send Markers; `sh` is dash, and bash when it is called sh. */
type IntegratedShell = "bash" | "zsh" | "fish" | "sh";

/** A shell as it would be started. */
export interface IntegrationInput {
  /** Absolute path of the program. */
  readonly shell: string;
  readonly args: readonly string[];
  /** The whole environment it would get. */
  readonly env: Readonly<Record<string, string>>;
  /** Where a directory of its own may be made for it. */
  readonly directory: string;
}

/** How a shell must be started so that it sends Markers, and how they are known. */
export interface Integration {
  readonly shell: IntegratedShell;
  /** In place of the arguments. */
  readonly args: readonly string[];
  /** In addition to the environment, or in place of variables of the same name. */
  readonly env: Readonly<Record<string, string>>;
  readonly nonces: MarkerNonces;
  /** `exact` when the shell tells where each Command starts and ends, `estimated` when it only tells its prompts. */
  readonly quality: "exact" | "estimated";
  /** Removes what was written for the shell; once it showed a prompt, it needs none of that any more. */
  dispose(): Promise<void>;
}

/** What the scripts need to be told, each in the way its shell allows. */
interface Delivery {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly keyFile: string;
}

/** Arguments that change nothing about which files a shell reads, or only in a way that the scripts know. */
const KNOWN_ARGUMENTS: Readonly<Record<IntegratedShell, RegExp>> = {
  bash: /^(?:--login|-[il]+)$/,
  zsh: /^(?:--login|-[il]+)$/,
  fish: /^(?:--login|--interactive|-[il]+)$/,
  sh: /^-i$/,
};

/** The scripts are no modules, so a build leaves them where they are; the path is the same from sources and from a build. */
const SCRIPTS = fileURLToPath(new URL("../../src/shell/scripts/", import.meta.url));

/** Prepares a shell to send Markers with nonces; undefined where that is not possible without changing what it does. */
export async function prepareIntegration(
  input: IntegrationInput,
): Promise<Integration | undefined> {
  const shell = await recogniseShell(input.shell);
  if (!shell || !input.args.every((arg) => KNOWN_ARGUMENTS[shell].test(arg))) return undefined;
  // Whoever wants posix mode reads other files, and the script would end that mode.
  if (shell === "bash" && input.env["POSIXLY_CORRECT"] !== undefined) return undefined;
  const nonces = MarkerNonces.generate();
  await mkdir(input.directory, { recursive: true, mode: 0o700 });
  // Only its owner can enter a directory made this way.
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

/** What is kept of an Integration, so that another host can go on with it. */
export interface SavedIntegration {
  readonly shell: IntegratedShell;
  readonly quality: Integration["quality"];
  readonly secret: string;
}

/** Goes on with a shell that was prepared in another host, by what it wrote last; undefined where that has none of its nonces. */
export function resumeIntegration(
  { shell, quality, secret }: SavedIntegration,
  written: string,
): Integration | undefined {
  const nonces = MarkerNonces.resume(secret, written);
  // It showed a prompt, so that it needs nothing any more that was written for it.
  const dispose = async (): Promise<void> => undefined;
  return nonces && { shell, args: [], env: {}, nonces, quality, dispose };
}

/** The line that a shell has told in its last marker, with which what it wrote ends, so that its command had not begun. */
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

/** What a shell has drawn behind its prompt; undefined where its last marker does not end one. */
export function drawnAtPromptOf(written: string, { nonces }: Integration): string | undefined {
  const suffix = `;nacre=${nonces.newest}\u0007`;
  const end = written.lastIndexOf(suffix);
  const start = written.lastIndexOf(MARKER_START, end);
  if (end < 0 || start < 0) return undefined;
  const marker = parseMarker(633, written.slice(start + MARKER_START.length, end));
  return marker?.kind === "promptEnd" ? written.slice(end + suffix.length) : undefined;
}

async function recogniseShell(path: string): Promise<IntegratedShell | undefined> {
  // Apple's bash does not read the file that ENV names.
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
      // In posix mode, and only there, bash reads a file of our choice before all others; the script ends that mode.
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

/** Shells expand the value of ENV as they do the text of a here-document. */
const quoteForExpansion = (path: string): string => path.replace(/[\\$`]/g, String.raw`\$&`);

const quoteForFish = (text: string): string => `'${text.replace(/[\\']/g, String.raw`\$&`)}'`;
