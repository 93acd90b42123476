import { lstat, rm } from "node:fs/promises";
import { isDeepStrictEqual } from "node:util";
import {
  encodeError,
  type ErrorCode,
  ERRORS,
  type FileErrorClass,
  NacreError,
  type StorageInfo,
} from "@nacre/contracts";
import { probeFile } from "./control-file.ts";
import type { ControlName } from "./control-file-request.ts";
import { type Active, type SavedState, STATE_FILE } from "./saved-state.ts";
import { type ControlTree, type FileReplacement, replaceFile } from "./directory-handle.ts";
import type { ControlLimits } from "./control-limits.ts";
import type { ServedTree } from "./served-tree.ts";
import type { OperationOutcome } from "./session-operations.ts";
import type { SerialQueue } from "../../base/serial-queue.ts";

/** As `status.json` tells it. */
interface Status {
  readonly state: "idle" | "running" | "done" | "failed";
  readonly tool: string | null;
  readonly session_id: string | null;
  readonly request_id: string | null;
  readonly updated_at_ms: number;
  readonly error: string | null;
  readonly active: readonly Active[];
  /** Present while the disk of the recordings is not well. */
  readonly storage?: StorageInfo | undefined;
  readonly service: Lease;
}

/** Served until `expires_at_ms`, which is renewed. */
interface Lease {
  readonly state: "serving" | "stopped";
  readonly pid: number;
  readonly started_at_ms: number;
  readonly expires_at_ms: number;
}

/** Before the first request. */
const IDLE: Omit<Status, "active" | "service"> = {
  state: "idle",
  tool: null,
  session_id: null,
  request_id: null,
  updated_at_ms: 0,
  error: null,
};

export interface DirectoryPublisherOptions {
  readonly served: ServedTree;
  readonly taken: () => Readonly<Record<string, string>>;
  readonly limits: Pick<ControlLimits, "maxAnswers" | "leaseMs">;
  readonly handleProblem: (error: unknown) => void;
}

/** Writes what agents read, file by file: whoever sees an answer finds everything else up to date. */
export class DirectoryPublisher {
  readonly #options: DirectoryPublisherOptions;
  readonly #queue: SerialQueue;
  readonly #running: Active[] = [];
  readonly #written = new Map<string, unknown>();
  /** Oldest first. */
  #answers: string[] = [];
  #last: Omit<Status, "active" | "service"> = IDLE;
  #lease: Lease;
  #storage: StorageInfo | undefined;

  constructor(options: DirectoryPublisherOptions) {
    this.#options = options;
    this.#queue = options.served.turns;
    const now = Date.now();
    const { leaseMs } = options.limits;
    this.#lease = {
      state: "serving",
      pid: process.pid,
      started_at_ms: now,
      expires_at_ms: now + leaseMs,
    };
  }

  /** Extends the lease. */
  async renew(): Promise<void> {
    this.#lease = { ...this.#lease, expires_at_ms: Date.now() + this.#options.limits.leaseMs };
    await this.#queue.run(() => this.#status());
  }

  async stop(): Promise<void> {
    this.#lease = { ...this.#lease, state: "stopped", expires_at_ms: Date.now() };
    await this.#queue.run(() => this.#status());
  }

  /** Writes everything for a new service; interrupted requests stay in the journal until they are answered. */
  async start(running: readonly Active[]): Promise<void> {
    this.#written.clear();
    this.#running.push(...running);
    await this.#queue.run(async () => {
      this.#answers = await listAnswers(this.#options.served.tree);
      await this.#sessionFiles();
      const { root } = this.#options.served.tree;
      if ((await probeFile(root.pathOf("result.json"))).kind === "absent") {
        await this.#write("result.json", { ok: false, result: null, error: null });
      }
      await this.#status();
      await this.#saveState();
    });
  }

  async isAnswered(requestId: string): Promise<boolean> {
    return await this.#queue.run(async () => {
      const { requests } = this.#options.served.tree;
      return (await probeFile(requests.pathOf(`${requestId}.json`))).kind !== "absent";
    });
  }

  /** Recorded before anything is done, so that it never runs twice. */
  async begin(active: Active): Promise<void> {
    this.#running.push(active);
    await this.#queue.run(async () => {
      if (!(await this.#saveState())) {
        const message = "the request could not be saved and was not carried out";
        throw new NacreError("unavailable", message, { suggestion: "Make room on the disk." });
      }
      await this.#status();
    });
  }

  /** Whether the answer could be written. */
  async finish(answer: ControlAnswer, tool: string | null): Promise<boolean> {
    return await this.#queue.run(async () => {
      const { request_id, session_id, error, ok, finished_at_ms } = answer;
      await this.#sessionFiles();
      this.#forget(request_id);
      this.#last = {
        state: ok ? "done" : "failed",
        tool,
        session_id,
        request_id,
        updated_at_ms: finished_at_ms,
        error: error && `${error.code}: ${error.message}`,
      };
      const text = `${JSON.stringify(answer)}\n`;
      const { root } = this.#options.served.tree;
      // Only the answer itself is worth waiting for the disk: by it, the request is known as done.
      await this.#put({ directory: root, name: "result.json", text });
      await this.#status();
      // Last, so that whoever finds the answer finds everything else up to date.
      const isAnswered = await this.#answer(request_id, text);
      await this.#saveState();
      return isAnswered;
    });
  }

  /** It was answered before. */
  async drop(requestId: string): Promise<void> {
    this.#forget(requestId);
    await this.#queue.run(async () => {
      await this.#status();
      await this.#saveState();
    });
  }

  #forget(requestId: string): void {
    const at = this.#running.findIndex((active) => active.request_id === requestId);
    if (at >= 0) this.#running.splice(at, 1);
  }

  /** During a request. */
  async refresh(): Promise<void> {
    await this.#queue.run(async () => {
      await this.#sessionFiles();
      await this.#saveState();
    });
  }

  async noteStorage(storage: StorageInfo): Promise<void> {
    this.#storage = storage.state === "ok" ? undefined : storage;
    await this.#queue.run(() => this.#status());
  }

  async writeFiles(files: Readonly<Record<string, unknown>>): Promise<void> {
    await this.#queue.run(async () => {
      for (const [name, content] of Object.entries(files)) await this.#write(name, content);
    });
  }

  async #answer(requestId: string, text: string): Promise<boolean> {
    const { requests } = this.#options.served.tree;
    const name = `${requestId}.json`;
    const isWritten = await this.#put({ directory: requests, name, text, isDurable: true });
    if (!isWritten) return false;
    this.#answers.push(name);
    const tooMany = Math.max(0, this.#answers.length - this.#options.limits.maxAnswers);
    for (const old of this.#answers.splice(0, tooMany)) {
      await rm(requests.pathOf(old), { force: true }).catch(this.#options.handleProblem);
    }
    return true;
  }

  async #status(): Promise<void> {
    const newest = this.#running.at(-1);
    const status: Status = newest
      ? {
          state: "running",
          tool: newest.tool,
          session_id: newest.session_id,
          request_id: newest.request_id,
          updated_at_ms: Date.now(),
          error: null,
          active: this.#running,
          service: this.#lease,
        }
      : { ...this.#last, active: [], service: this.#lease };
    await this.#write("status.json", { ...status, storage: this.#storage });
  }

  async #sessionFiles(): Promise<void> {
    const { all, current } = this.#options.served.sessions;
    await this.#write("sessions.json", { sessions: all.map(({ record }) => record) });
    const record = current?.record;
    const shown = record && {
      session_id: record.session_id,
      terminal_id: record.terminal_id,
      state: record.state,
      cwd: record.cwd,
      updated_at_ms: record.updated_at_ms,
    };
    await this.#write("current.json", { session: shown ?? null });
  }

  async #saveState(): Promise<boolean> {
    const { served, taken } = this.#options;
    const { sessions } = served;
    const saved: SavedState = {
      version: 1,
      taken: taken(),
      running: [...this.#running],
      sessions: sessions.all.map(({ kept }) => kept),
      current: sessions.current?.terminalId ?? null,
      counter: sessions.counter,
    };
    return await this.#write(STATE_FILE, saved);
  }

  /** Unless the content is unchanged. */
  async #write(name: string, content: unknown): Promise<boolean> {
    if (isDeepStrictEqual(this.#written.get(name), content)) return true;
    const directory = this.#options.served.tree.root;
    const text = typeof content === "string" ? content : `${JSON.stringify(content, null, 2)}\n`;
    const isWritten = await this.#put({ directory, name, text });
    if (isWritten) this.#written.set(name, structuredClone(content));
    return isWritten;
  }

  /** A failed write, as on a full disk, is reported and stops nothing else. */
  async #put(file: FileReplacement): Promise<boolean> {
    try {
      await replaceFile(file);
      return true;
    } catch (error) {
      this.#options.handleProblem(error);
      return false;
    }
  }
}

/** Oldest first. */
async function listAnswers({ requests }: ControlTree): Promise<string[]> {
  const names = (await requests.list()).filter((name) => name.endsWith(".json"));
  const dated = await Promise.all(
    names.map(async (name) => {
      const stats = await lstat(requests.pathOf(name)).catch(() => undefined);
      return { name, at: stats?.mtimeMs ?? 0 };
    }),
  );
  return dated.toSorted((a, b) => a.at - b.at).map(({ name }) => name);
}

interface ControlAnswerError {
  /** The class that agents know. */
  readonly code: FileErrorClass;
  readonly message: string;
  /** The code of the errors table. */
  readonly reason: ErrorCode;
  readonly field?: string;
  readonly suggestion: string;
}

interface ControlAnswer {
  readonly ok: boolean;
  readonly request_id: string;
  readonly operation: ControlName;
  readonly session_id: string | null;
  readonly result: OperationOutcome["result"] | null;
  readonly error: ControlAnswerError | null;
  readonly finished_at_ms: number;
}

export function encodeAnswerError(error: NacreError): ControlAnswerError {
  const { code: reason, details: _left, ...told } = encodeError(error);
  return { code: ERRORS[reason].fileClass, reason, ...told };
}
