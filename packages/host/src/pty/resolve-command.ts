import { constants } from "node:fs";
import { access, open, stat } from "node:fs/promises";
import { delimiter, isAbsolute, resolve } from "node:path";
import { NacreError } from "@nacre/contracts/plain";

/** Used when the environment has no PATH. */
const DEFAULT_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/** The kernel cuts longer `#!` lines. */
const MAX_SHEBANG_BYTES = 256;

/** Finds the program, so that a wrong name is an error and not a terminal that dies at once. */
export async function resolveCommand(
  command: string,
  env: Readonly<Record<string, string>>,
  cwd: string,
): Promise<string> {
  const searchPath = env["PATH"] ?? DEFAULT_PATH;
  const hasDirectory = command.includes("/");
  const directories = hasDirectory ? [cwd] : searchPath.split(delimiter).filter(isAbsolute);
  let refusal: NacreError | undefined;
  for (const directory of directories) {
    const path = resolve(directory, command);
    const found = await tryExecutable(path);
    if (found === "executable") return path;
    if (found !== "missing") refusal ??= found;
  }
  if (refusal) throw refusal;
  const where = hasDirectory ? "" : ` on the PATH ${searchPath}`;
  throw new NacreError("command_not_found", `there is no program ${command}${where}`, {
    field: "command",
  });
}

/** The last check before a start. */
export async function checkExecutable(path: string): Promise<void> {
  const found = await tryExecutable(path);
  if (found instanceof NacreError) throw found;
  if (found === "missing") {
    throw new NacreError("command_not_found", `there is no program ${path}`, { field: "command" });
  }
}

async function tryExecutable(path: string): Promise<"executable" | "missing" | NacreError> {
  const info = await stat(path).catch(() => undefined);
  if (!info) return "missing";
  if (!info.isFile()) return notExecutable(`${path} is not a file`);
  const allowed = await access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
  if (!allowed) return notExecutable(`${path} may not be executed`);
  const interpreter = await readInterpreter(path);
  if (interpreter !== undefined && !(await stat(interpreter).catch(() => undefined))) {
    return notExecutable(`${path} needs the interpreter ${interpreter}, which does not exist`);
  }
  return "executable";
}

/** The interpreter of a `#!` line; undefined otherwise, also for an executable that cannot be read. */
async function readInterpreter(path: string): Promise<string | undefined> {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch(() => undefined);
  if (!file) return undefined;
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(MAX_SHEBANG_BYTES), 0);
    return /^#![ \t]*([^ \t\n]+)/.exec(buffer.toString("latin1", 0, bytesRead))?.[1];
  } finally {
    await file.close();
  }
}

const notExecutable = (message: string): NacreError =>
  new NacreError("command_not_executable", message, { field: "command" });
