import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { hasErrno } from "../../base/errno.ts";
import { stampOf } from "./control-file.ts";
import { CONTROL_NAMES, controlFileName, type ControlName } from "./control-file-request.ts";
import { CONTROL_README } from "./describe-directory.ts";
import { type SavedState, readSavedState } from "./saved-state.ts";
import { ControlTree } from "./directory-handle.ts";
import { DEFAULT_PERMISSIONS, PERMISSIONS_FILE } from "./permissions.ts";
import { ControlSessions } from "./control-sessions.ts";
import { SerialQueue } from "../../base/serial-queue.ts";

const NEW_FILE_MODE = 0o600;

/** Makes directories ready that are new to the service; of a file that `taken` does not name, whatever lies there counts as taken. */
type TreePreparation = (
  tree: ControlTree,
  known: { readonly taken: SavedState["taken"]; readonly saved: SavedState | undefined },
) => Promise<void>;

/** Served only while ours alone; found again when somebody replaced them. */
export class ServedTree implements AsyncDisposable {
  readonly #path: string;
  readonly #handleProblem: (error: unknown) => void;
  readonly #opened: ControlTree[] = [];
  readonly sessions = new ControlSessions();
  /** Serialises work: a descriptor closed meanwhile could be another directory's. */
  readonly turns = new SerialQueue();
  #isReported = false;

  constructor(path: string, handleProblem: (error: unknown) => void) {
    this.#path = path;
    this.#handleProblem = handleProblem;
  }

  get tree(): ControlTree {
    const tree = this.#opened.at(-1);
    if (!tree) throw new Error("no directory was served yet");
    return tree;
  }

  /** Undefined while they may not be served; reports a problem once. */
  async current(prepare: TreePreparation): Promise<ControlTree | undefined> {
    try {
      const tree = (await this.#checked()) ?? (await this.#open(prepare));
      this.#isReported = false;
      return tree;
    } catch (error) {
      if (!this.#isReported) this.#handleProblem(error);
      this.#isReported = true;
      return undefined;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#close(this.#opened);
  }

  /** Replaced directories are judged by themselves. */
  async #checked(): Promise<ControlTree | undefined> {
    const tree = this.#opened.at(-1);
    if (!(await tree?.isInPlace())) return undefined;
    // Files put into directories that are ours again a moment later are ordinary requests.
    await tree?.check();
    return tree;
  }

  async #open(prepare: TreePreparation): Promise<ControlTree> {
    const tree = await ControlTree.open(this.#path);
    const isFirst = this.#opened.length === 0;
    const saved = isFirst ? await readSavedState(tree.root) : undefined;
    if (saved) this.sessions.restore(saved);
    this.#opened.push(tree);
    try {
      const made = await makeFiles(tree);
      await prepare(tree, { saved, taken: { ...saved?.taken, ...made } });
    } catch (error) {
      this.#opened.pop();
      await tree[Symbol.asyncDispose]();
      throw error;
    }
    // Repeated replacement must not use up all descriptors.
    await this.#close(this.#opened.splice(0, this.#opened.length - 1));
    return tree;
  }

  async #close(trees: readonly ControlTree[]): Promise<void> {
    await this.turns.run(async () => {
      for (const tree of trees) await tree[Symbol.asyncDispose]();
    });
  }
}

/** Makes what an agent or a person may change and the service only begins; gives the stamps of control files that were missing. */
async function makeFiles({ root, control }: ControlTree): Promise<SavedState["taken"]> {
  const made: Partial<Record<ControlName, string>> = {};
  for (const name of CONTROL_NAMES) {
    const stamp = await makeFile(control.pathOf(controlFileName(name)), "");
    if (stamp !== undefined) made[name] = stamp;
  }
  await makeFile(control.pathOf("README.md"), CONTROL_README);
  const permissions = `${JSON.stringify(DEFAULT_PERMISSIONS, null, 2)}\n`;
  await makeFile(root.pathOf(PERMISSIONS_FILE), permissions);
  return made;
}

/** Returns its stamp when created. */
async function makeFile(path: string, text: string): Promise<string | undefined> {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  try {
    await using file = await open(path, flags, NEW_FILE_MODE);
    await file.writeFile(text);
    return stampOf(await file.stat({ bigint: true }));
  } catch (error) {
    // An existing file stays, and is judged when read.
    if (!hasErrno(error, "EEXIST")) throw error;
    return undefined;
  }
}
