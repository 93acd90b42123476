import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { DirectoryHandle } from "./open-directory.ts";
import { removeDrafts } from "./replace-file.ts";

const PARENT_MODE = 0o700;

/** The directories of one agent, held open: its own, the one for requests and the one for answers. */
export class ControlTree implements AsyncDisposable {
  readonly root: DirectoryHandle;
  readonly control: DirectoryHandle;
  readonly requests: DirectoryHandle;

  private constructor(root: DirectoryHandle, control: DirectoryHandle, requests: DirectoryHandle) {
    this.root = root;
    this.control = control;
    this.requests = requests;
  }

  /** Opens the directories and makes those that are missing; refuses what others can reach. */
  static async open(path: string): Promise<ControlTree> {
    mkdirSync(dirname(path), { recursive: true, mode: PARENT_MODE });
    await using stack = new AsyncDisposableStack();
    const root = stack.use(await DirectoryHandle.open(path));
    const control = stack.use(await root.openInner("control"));
    const requests = stack.use(await root.openInner("requests"));
    await removeDrafts(root);
    await removeDrafts(requests);
    stack.move();
    return new ControlTree(root, control, requests);
  }

  /** Whether none of the directories was replaced or removed. */
  async isInPlace(): Promise<boolean> {
    for (const directory of this.#all) if (!(await directory.isInPlace())) return false;
    return true;
  }

  /** Refuses the directories when they are not ours alone. */
  async check(): Promise<void> {
    for (const directory of this.#all) await directory.check();
  }

  get #all(): readonly DirectoryHandle[] {
    return [this.root, this.control, this.requests];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.requests[Symbol.asyncDispose]();
    await this.control[Symbol.asyncDispose]();
    await this.root[Symbol.asyncDispose]();
  }
}
