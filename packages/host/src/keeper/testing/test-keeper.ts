import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readProcess } from "../../pty/process-table.ts";
import type { PtyDriver } from "../../pty/pty.ts";
import { KeeperLink } from "../keeper-link.ts";
import { createKeeperDriver } from "../keeper-pty.ts";
import { startKeeper } from "../start-keeper.ts";

const VERSION = "0.0.0-test";

export class TestKeeper implements AsyncDisposable {
  readonly directory = mkdtempSync(join(tmpdir(), "nacre-keeper-"));
  readonly socketPath = join(this.directory, "keeper.sock");
  readonly logPath = join(this.directory, "keeper.log");
  #pid = 0;
  readonly #end = (): void => void (this.isAlive && process.kill(this.#pid, "SIGTERM"));

  static async start(main?: URL): Promise<TestKeeper> {
    const keeper = new TestKeeper();
    const { socketPath, logPath } = keeper;
    const place = { socketPath, logPath, version: VERSION, ...(main ? { main } : {}) };
    keeper.#pid = await startKeeper(place);
    // A test that was given up disposes of nothing.
    process.once("exit", keeper.#end);
    return keeper;
  }

  get pid(): number {
    return this.#pid;
  }

  get isAlive(): boolean {
    const facts = readProcess(this.#pid);
    return facts !== undefined && !facts.isDead;
  }

  async connect(): Promise<KeeperLink> {
    const { socketPath } = this;
    return await KeeperLink.connect({ socketPath, version: VERSION });
  }

  async openDriver(): Promise<{ link: KeeperLink; driver: PtyDriver }> {
    const link = await this.connect();
    return { link, driver: createKeeperDriver(link) };
  }

  async ended(): Promise<void> {
    while (this.isAlive) await new Promise(setImmediate);
  }

  /** Ends all that it keeps, and then itself. */
  async [Symbol.asyncDispose](): Promise<void> {
    // One that keeps nothing ends by itself when its last daemon is gone.
    using link = await this.connect().catch(() => undefined);
    await link?.request({ call: "stop", graceMs: 0 }, (answer) => answer).catch(() => undefined);
    await this.ended();
    process.off("exit", this.#end);
    rmSync(this.directory, { recursive: true, force: true });
  }
}
