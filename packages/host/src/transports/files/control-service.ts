import { randomUUID } from "node:crypto";
import {
  type Caller,
  MAX_WAIT_MS,
  NacreError,
  type StorageInfo,
  TerminalId,
} from "@nacre/contracts";
import { toNacreError } from "../../base/to-nacre-error.ts";
import {
  type ControlName,
  ERASED_NAMES,
  parseControlName,
  parseControlFileRequest,
  type ParsedRequest,
  SessionId,
  toolNameOf,
} from "./control-file-request.ts";
import { ControlWatcher } from "./control-watcher.ts";
import { describeDirectory } from "./describe-directory.ts";
import type { Active } from "./saved-state.ts";
import type { ControlLimits } from "./control-limits.ts";
import type { Commit } from "./commit-detector.ts";
import { requirePermission } from "./permissions.ts";
import { DirectoryPublisher, encodeAnswerError } from "./directory-publisher.ts";
import { RequestIds, RequestQueue } from "./request-queue.ts";
import { runOperation } from "./run-operation.ts";
import { ServedTree } from "./served-tree.ts";
import {
  isTerminalGone,
  observeSession,
  type OperationContext,
  type OperationOutcome,
} from "./session-operations.ts";

export interface ControlServiceDeps {
  readonly directory: string;
  readonly caller: Caller;
  readonly baseDirectory: string;
  readonly call: OperationContext["call"];
  readonly limits: ControlLimits;
  readonly hasTerminals: boolean;
  readonly stopping: AbortController;
  readonly handleProblem: (error: unknown) => void;
}

/** One agent's directory: executes each request once, and answers all. */
export class ControlService implements AsyncDisposable {
  readonly #deps: ControlServiceDeps;
  readonly #tree: ServedTree;
  readonly #publisher: DirectoryPublisher;
  readonly #queue: RequestQueue;
  readonly #watch: ControlWatcher;
  /** What of each file was begun; what was only taken is taken again after a restart. */
  #begun: Readonly<Record<string, string>> = {};
  /** The newest request per file; rewriting it gives it a newer stamp. */
  readonly #newest = new Map<ControlName, { stamp: string; isBegun: boolean }>();
  readonly #ids = new RequestIds();
  #hasTerminals: boolean;
  #renewal: NodeJS.Timeout | undefined;
  /** As of the last check. */
  #isServed = false;

  constructor(deps: ControlServiceDeps) {
    const { directory, limits, handleProblem } = deps;
    this.#deps = deps;
    this.#hasTerminals = deps.hasTerminals;
    this.#tree = new ServedTree(directory, handleProblem);
    this.#publisher = new DirectoryPublisher({
      served: this.#tree,
      taken: () => this.#begun,
      limits,
      handleProblem,
    });
    this.#queue = new RequestQueue({
      limits,
      handleProblem,
      handleRoom: () => this.#watch.wake(),
    });
    this.#watch = new ControlWatcher({
      limits,
      directory: async () => (await this.#serve())?.control,
      room: () => this.#queue.room,
      handleCommit: this.#handleCommit,
      handleTouched: (name, stamp) => {
        this.#noteAgain(name, stamp);
        void this.#publisher.refresh().catch(handleProblem);
      },
      handleProblem,
    });
  }

  /** At once where the directory is valid. */
  async start(): Promise<void> {
    await this.#serve();
    this.#watch.start();
    const { limits, handleProblem } = this.#deps;
    this.#renewal = setInterval(() => {
      // A directory that is not served is not written to either.
      if (this.#isServed) void this.#publisher.renew().catch(handleProblem);
    }, limits.leaseMs / 3).unref();
  }

  async noteStorage(storage: StorageInfo): Promise<void> {
    // Written once the directory is served.
    if (await this.#serve()) await this.#publisher.noteStorage(storage);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#renewal);
    await this.#watch[Symbol.asyncDispose]();
    this.#deps.stopping.abort();
    await this.#queue[Symbol.asyncDispose]();
    if (this.#isServed) await this.#publisher.stop();
    await this.#tree[Symbol.asyncDispose]();
  }

  /** While they may be served; prepares new ones. */
  async #serve(): Promise<ServedTree["tree"] | undefined> {
    const served = await this.#tree.current(async (tree, { taken, saved }) => {
      await this.#watch.reset(tree.control, taken);
      this.#begun = this.#watch.taken;
      const running = saved?.running ?? [];
      await this.#publisher.start(running);
      await this.#publisher.writeFiles(describeDirectory(this.#hasTerminals));
      for (const { isOpen, terminalId } of this.#tree.sessions.all) {
        if (isOpen) this.#followExit(terminalId);
      }
      for (const active of running) await this.#abandon(active);
    });
    this.#isServed = served !== undefined;
    return served;
  }

  /** It ran when the previous service ended, and is not repeated. */
  async #abandon(active: Active): Promise<void> {
    const { request_id, session_id, tool } = active;
    this.#ids.end(request_id);
    if (await this.#publisher.isAnswered(request_id)) {
      await this.#publisher.drop(request_id);
      return;
    }
    const error = encodeAnswerError(inDoubtError(active));
    const operation = parseControlName(active.operation);
    const finished_at_ms = Date.now();
    await this.#publisher.finish(
      { ok: false, request_id, operation, session_id, result: null, error, finished_at_ms },
      tool,
    );
  }

  readonly #handleCommit = (name: ControlName, commit: Commit, stamp: string): void => {
    const asked = parseControlFileRequest(name, commit);
    const given = asked.requestId;
    if (given !== undefined && this.#ids.isPending(given)) {
      this.#noteAgain(name, stamp);
      return;
    }
    const requestId = given ?? randomUUID();
    const wanted = this.#ids.isOver(requestId) ? refuseRepeated(asked) : asked;
    this.#ids.take(requestId);
    const active = toRunningRequest(requestId, wanted);
    const newest = { stamp, isBegun: false };
    this.#newest.set(name, newest);
    let isSkipped = false;
    this.#queue.add({
      begin: async () => {
        newest.isBegun = true;
        this.#begun = { ...this.#begun, [name]: newest.stamp };
        try {
          isSkipped = given !== undefined && (await this.#publisher.isAnswered(given));
        } catch (error) {
          this.#ids.forget(requestId);
          throw error;
        }
        if (!isSkipped) await this.#begin(active, wanted);
        // Only after the journal has it: otherwise a crash would lose it.
        await this.#erase(name, newest.stamp);
      },
      run: async () => {
        if (isSkipped) this.#ids.end(requestId);
        else await this.#run(active, wanted);
      },
    });
  };

  /** A pending request was rewritten: it must not run twice, not even after a restart. */
  #noteAgain(name: ControlName, stamp: string): void {
    const newest = this.#newest.get(name);
    if (newest && !newest.isBegun) {
      newest.stamp = stamp;
      return;
    }
    this.#begun = { ...this.#begun, [name]: stamp };
    void this.#erase(name, stamp);
  }

  /** Input may be a secret: nothing of it stays in the file. */
  async #erase(name: ControlName, stamp: string): Promise<void> {
    if (!ERASED_NAMES.has(name)) return;
    try {
      const { turns } = this.#tree;
      const erased = await turns.run(() => this.#watch.erase(this.#tree.tree.control, name, stamp));
      if (erased !== undefined) this.#begun = { ...this.#begun, [name]: erased };
    } catch (error) {
      this.#deps.handleProblem(error);
    }
  }

  /** By running request. */
  readonly #refusals = new Map<string, unknown>();

  async #begin(active: Active, asked: ParsedRequest): Promise<void> {
    try {
      await this.#publisher.begin(active);
      if (asked.kind === "refused") throw asked.error;
      await this.#tree.turns.run(() =>
        requirePermission(this.#tree.tree.root, asked.operation, this.#deps.caller),
      );
    } catch (error) {
      this.#refusals.set(active.request_id, error);
    }
  }

  async #run(active: Active, asked: ParsedRequest): Promise<void> {
    const { request_id, session_id, tool } = active;
    const { operation } = asked;
    const isRefused = this.#refusals.has(request_id);
    let isAnswered = false;
    try {
      const ended = await this.#outcome(active, asked).then(
        ({ sessionId, result }) => ({ ok: true, session_id: sessionId, result, error: null }),
        async (error: unknown) => {
          const failure = await this.#noteFailure(error, operation);
          return { ok: false, session_id, result: null, error: encodeAnswerError(failure) };
        },
      );
      const answer = { ...ended, request_id, operation, finished_at_ms: Date.now() };
      isAnswered = await this.#publisher.finish(answer, tool);
    } finally {
      this.#refusals.delete(request_id);
      if (isRefused && !isAnswered) this.#ids.forget(request_id);
      else this.#ids.end(request_id);
    }
  }

  async #noteFailure(error: unknown, operation: ControlName): Promise<NacreError> {
    if (this.#deps.stopping.signal.aborted) {
      return new NacreError("unavailable", "the service is ending; what was begun may go on");
    }
    if (!(error instanceof NacreError)) this.#deps.handleProblem(error);
    const failure = toNacreError(error);
    if (failure.code === "pty_unavailable" && operation === "create") {
      // The machine has no terminals after all, and the description no longer says so.
      this.#hasTerminals = false;
      await this.#publisher.writeFiles(describeDirectory(false));
    }
    return failure;
  }

  async #outcome(active: Active, asked: ParsedRequest): Promise<OperationOutcome> {
    if (this.#refusals.has(active.request_id)) throw this.#refusals.get(active.request_id);
    if (asked.kind === "refused") throw asked.error;
    return await runOperation(asked, {
      sessions: this.#tree.sessions,
      terminalId: active.terminal_id,
      baseDirectory: this.#deps.baseDirectory,
      call: this.#deps.call,
      hasTerminals: this.#hasTerminals,
      handleSession: (terminalId) => this.#followExit(terminalId),
      saveSessions: () => this.#publisher.refresh(),
    });
  }

  #followExit(terminalId: string): void {
    // Nobody waits for it when the service ends, and a terminal whose recording was removed has no end to notice.
    void this.#noteExit(terminalId).catch((error: unknown) => {
      if (!(error instanceof NacreError)) this.#deps.handleProblem(error);
    });
  }

  /** Waits until the program of a session ends by itself, or until nobody answers any more. */
  async #noteExit(id: string): Promise<void> {
    const { call, handleProblem } = this.#deps;
    const find = () => this.#tree.sessions.all.find(({ terminalId }) => terminalId === id);
    const wait = { id, until: [{ kind: "exit" }], timeoutMs: MAX_WAIT_MS };
    try {
      while ((await call("waitFor", wait)).outcome !== "exit");
      const session = find();
      if (session) await observeSession(session, call);
    } catch (error) {
      if (!isTerminalGone(error)) throw error;
      // Nothing is left of it, not even a recording: its name is free again.
      find()?.note({ state: "closed" });
    }
    void this.#publisher.refresh().catch(handleProblem);
  }
}

/** Refuses a reused id whose first answer is gone. */
function refuseRepeated(asked: ParsedRequest): ParsedRequest {
  const message = "request_id: this request was taken before, and its answer is not kept";
  const suggestion = "Give a new request an id of its own.";
  const error = new NacreError("already_exists", message, { field: "request_id", suggestion });
  return { kind: "refused", operation: asked.operation, error };
}

/** It ran when the service ended: asking again may run it twice. */
function inDoubtError({ session_id, terminal_id }: Active): NacreError {
  const where = terminal_id === undefined ? "" : ` as ${terminal_id}`;
  const look =
    terminal_id !== undefined
      ? `\`read\` with \`terminal_id\` ${terminal_id} tells what it wrote and whether it ended.`
      : session_id !== null
        ? `\`read\` with \`session_id\` ${session_id} tells what it wrote.`
        : "Look at `sessions.json` and at what it was to change.";
  const message = `the service ended while this ran; it may have been done, or run on${where}`;
  return new NacreError("unavailable", message, { suggestion: `Do not ask again before: ${look}` });
}

function toRunningRequest(requestId: string, asked: ParsedRequest): Active {
  const { operation } = asked;
  const fields = asked.kind === "request" ? asked.fields : {};
  // A command by itself runs in a terminal of its own.
  const isAlone =
    asked.kind === "request" &&
    operation === "exec" &&
    fields["session_id"] === undefined &&
    fields["use_current"] !== true;
  return {
    request_id: requestId,
    operation,
    tool: operation === "invoke" ? null : toolNameOf(operation),
    session_id: SessionId.safeParse(fields["session_id"]).data ?? null,
    ...(isAlone ? { terminal_id: TerminalId.parse(`terminal:${randomUUID()}`) } : {}),
    started_at_ms: Date.now(),
  };
}
