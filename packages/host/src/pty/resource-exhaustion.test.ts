import { execFile, execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { requireProgram } from "../testing/require-program.ts";

const VICTIM = fileURLToPath(new URL("./testing/exhausted.victim.ts", import.meta.url));
const NODE = [process.execPath, "--conditions=nacre-source", VICTIM];

/** Root may start as many processes as it likes; anybody else is held to a number of them. */
const ANOTHER_USER = 65_534;

const OUTCOME = { refusal: "resource_exhausted", again: ["resource_exhausted"], leaked: 0 };

/** A few pseudo-terminals of its own, which it sees where all programs look for them. */
const FEW_PTYS =
  "mount -t devpts -o newinstance,ptmxmode=0666,max=4 devpts /dev/pts && mount --bind /dev/pts/ptmx /dev/ptmx";

async function run(words: readonly string[], user?: number): Promise<unknown> {
  const [file = "", ...args] = words;
  const as = user === undefined ? {} : { uid: user, gid: user };
  const env = { PATH: process.env["PATH"], HOME: "/nonexistent" };
  const { stdout } = await promisify(execFile)(file, args, { ...as, env, cwd: "/" });
  return JSON.parse(stdout);
}

/** Whether a part of the system can be replaced for one program; only its administrator may. */
function canUnshare(): boolean {
  try {
    execFileSync("unshare", ["--mount", "sh", "-c", FEW_PTYS], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

test("without processes no program starts, nothing is left behind, and later they start again", async (context) => {
  requireProgram(context, "prlimit");
  const user = process.getuid?.() === 0 ? ANOTHER_USER : undefined;
  expect(await run([...NODE, "processes"], user)).toEqual(OUTCOME);
});

test("without pseudo-terminals no program starts, nothing is left behind, and later they start again", async (context) => {
  // The machine's own are not used up for a test: other programs need them.
  if (!canUnshare()) context.skip("pseudo-terminals of its own need the right to mount them");
  const words = ["unshare", "--mount", "sh", "-c", `${FEW_PTYS} && exec "$@"`, "sh"];
  expect(await run([...words, ...NODE, "ptys"])).toEqual(OUTCOME);
});
