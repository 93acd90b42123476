import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { connect, type NacreClient } from "@nacre/client";
import { OWN_MOUNTS } from "./small-disk.ts";
import { type OwnDirectory, ownDirectory } from "./own-directory.ts";

const VICTIM = join(import.meta.dirname, "small-disk-victim.ts");

/** A daemon whose disk a test fills and frees; the CLI and browsers reach it as any other. */
export class SmallDiskDaemon implements AsyncDisposable {
  readonly url: string;
  readonly token: string;
  readonly client: NacreClient;
  readonly #child: ChildProcess;
  readonly #runtime: OwnDirectory;

  private constructor(
    child: ChildProcess,
    { url, token, runtime }: { url: string; token: string; runtime: OwnDirectory },
  ) {
    this.#child = child;
    this.#runtime = runtime;
    this.url = url;
    this.token = token;
    this.client = connect({ url, token, clientLabel: "elsewhere" });
  }

  static async start(): Promise<SmallDiskDaemon> {
    const runtime = ownDirectory();
    const [command = "", ...args] = OWN_MOUNTS;
    const node = [process.execPath, "--conditions=nacre-source", VICTIM, runtime.path];
    const child = spawn(command, [...args, ...node], { stdio: ["pipe", "pipe", "inherit"] });
    for await (const line of createInterface({ input: child.stdout })) {
      return new SmallDiskDaemon(child, { ...JSON.parse(line), runtime });
    }
    throw new Error("no daemon on a small disk came up");
  }

  /** What the CLI finds it by. */
  get env(): Readonly<Record<string, string>> {
    return { NACRE_HOME: "", XDG_RUNTIME_DIR: this.#runtime.path };
  }

  /** Somebody else takes the disk up to a part of the reserve. */
  fill(): void {
    this.#child.stdin?.write("fill\n");
  }

  /** There is room again. */
  free(): void {
    this.#child.stdin?.write("free\n");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = once(this.#child, "exit");
    this.#child.stdin?.end();
    await ended;
    this.#runtime[Symbol.dispose]();
  }
}
