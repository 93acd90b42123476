import { randomUUID } from "node:crypto";
import { type Caller, NacreError } from "@nacre/contracts";
import { answerErrorOf, failureOf } from "./answer.ts";
import { type ControlName, controlNameOf, TOOL_NAMES } from "./control-names.ts";
import { type Asked, askedBy } from "./control-request.ts";
import { ControlWatch } from "./control-watch.ts";
import { ExitWatch } from "./exit-watch.ts";
import type { Active } from "./journal.ts";
import type { ControlLimits } from "./limits.ts";
import type { OperationContext, Outcome } from "./operation-context.ts";
import { SessionId } from "./payloads.ts";
import type { Commit } from "./pending-file.ts";
import { requirePermission } from "./permissions.ts";
import { Publisher } from "./publisher.ts";
import { RequestQueue } from "./request-queue.ts";
import { runOperation } from "./run-operation.ts";
import { describe } from "./description.ts";
import { ServedTree } from "./served-tree.ts";

/** Ids of requests that are remembered although somebody removed their answers. */
const MAX_REMEMBERED = 4096;

/** What a service is made of. */
export interface ControlServiceParts {
  readonly directory: string;
  readonly caller: Caller;
  readonly baseDirectory: string;
  readonly call: OperationContext["call"];
  readonly limits: ControlLimits;
  readonly hasTerminals: boolean;
  /** Aborted when nobody waits for anything any more. */
  readonly stopping: AbortController;
  readonly handleProblem: (error: unknown) => void;
}

/** One agent's directory: takes requests, does each once, and answers all. */
export class ControlService implements AsyncDisposable {
  readonly #parts: ControlServiceParts;
  readonly #tree: ServedTree;
  readonly #publisher: Publisher;
  readonly #queue: RequestQueue;
  readonly #watch: ControlWatch;
  readonly #exits: ExitWatch;
  /** What of each file was begun; what was only taken is taken again after a restart. */
  #begun: Readonly<Record<string, string>> = {};
  /** Ids of requests that were taken. */
  readonly #known = new Set<string>();
  #hasTerminals: boolean;

  constructor(parts: ControlServiceParts) {
    const { directory, limits, handleProblem, call } = parts;
    this.#parts = parts;
    this.#hasTerminals = parts.hasTerminals;
    this.#tree = new ServedTree({ path: directory, handleProblem });
    const { sessions } = this.#tree;
    this.#publisher = new Publisher({
      tree: () => this.#tree.tree,
      sessions,
      taken: () => this.#begun,
      maxAnswers: limits.maxAnswers,
      handleProblem,
    });
    this.#queue = new RequestQueue({
      limits,
      handleProblem,
      handleRoom: () => this.#watch.wake(),
    });
    this.#watch = new ControlWatch({
      limits,
      directory: async () => (await this.#serve())?.control,
      room: () => this.#queue.room,
      handleCommit: this.#handleCommit,
      handleProblem,
    });
    const handleExit = (): void => void this.#publisher.refresh().catch(handleProblem);
    this.#exits = new ExitWatch({ sessions, call, handleExit });
  }

  /** Begins to serve, at once where the directory is as it should be. */
  async start(): Promise<void> {
    await this.#serve();
    this.#watch.start();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#watch[Symbol.asyncDispose]();
    this.#parts.stopping.abort();
    await this.#queue[Symbol.asyncDispose]();
    await this.#tree[Symbol.asyncDispose]();
  }

  /** The directories, while they may be served; new ones are made ready first. */
  async #serve(): Promise<ServedTree["tree"] | undefined> {
    return await this.#tree.current(async (tree, journal) => {
      await this.#watch.reset(tree.control, journal?.taken ?? {});
      this.#begun = this.#watch.taken;
      await this.#publisher.describe(describe(this.#hasTerminals));
      await this.#publisher.start();
      for (const { isOpen, terminalId } of this.#tree.sessions.all) {
        if (isOpen) this.#followExit(terminalId);
      }
      for (const active of journal?.running ?? []) await this.#giveUp(active);
    });
  }

  /** A request ran when the service before this one ended; it is not done again. */
  async #giveUp(active: Active): Promise<void> {
    const { request_id, session_id, tool } = active;
    if (await this.#publisher.isAnswered(request_id)) return;
    const message = "the service ended while this ran; it may have been done";
    const error = answerErrorOf(new NacreError("unavailable", message));
    const operation = controlNameOf(active.operation);
    const finished_at_ms = Date.now();
    await this.#publisher.finish(
      { ok: false, request_id, operation, session_id, result: null, error, finished_at_ms },
      tool,
    );
  }

  readonly #handleCommit = (name: ControlName, commit: Commit, stamp: string): void => {
    const asked = askedBy(name, commit);
    const given = asked.kind === "request" ? asked.request.requestId : asked.requestId;
    if (given !== undefined && this.#known.has(given)) return;
    const requestId = given ?? randomUUID();
    this.#remember(requestId);
    const active = activeOf(requestId, asked);
    let isSkipped = false;
    this.#queue.add({
      begin: async () => {
        this.#begun = { ...this.#begun, [name]: stamp };
        isSkipped = given !== undefined && (await this.#publisher.isAnswered(given));
        if (!isSkipped) await this.#begin(active, asked);
      },
      run: async () => {
        if (!isSkipped) await this.#run(active, asked);
      },
    });
  };

  /** What stands in the way of each request that runs, where something does. */
  readonly #refusals = new Map<string, unknown>();

  async #begin(active: Active, asked: Asked): Promise<void> {
    try {
      await this.#publisher.begin(active);
      if (asked.kind === "refused") throw asked.error;
      const { root } = this.#tree.tree;
      await requirePermission(root, asked.request.operation, this.#parts.caller);
    } catch (error) {
      this.#refusals.set(active.request_id, error);
    }
  }

  async #run(active: Active, asked: Asked): Promise<void> {
    const { request_id, tool } = active;
    const operation = asked.kind === "request" ? asked.request.operation : asked.operation;
    const common = { request_id, operation };
    try {
      const { sessionId, result } = await this.#outcome(active, asked);
      const finished_at_ms = Date.now();
      const ended = { session_id: sessionId, result, error: null, finished_at_ms };
      await this.#publisher.finish({ ok: true, ...common, ...ended }, tool);
    } catch (error) {
      const failure = this.#parts.stopping.signal.aborted
        ? new NacreError("unavailable", "the service is ending; what was begun may go on")
        : failureOf(error, this.#parts.handleProblem);
      if (failure.code === "pty_unavailable") await this.#loseTerminals();
      const finished_at_ms = Date.now();
      const { session_id } = active;
      const ended = { session_id, result: null, error: answerErrorOf(failure), finished_at_ms };
      await this.#publisher.finish({ ok: false, ...common, ...ended }, tool);
    } finally {
      this.#refusals.delete(request_id);
    }
  }

  async #outcome(active: Active, asked: Asked): Promise<Outcome> {
    if (this.#refusals.has(active.request_id)) throw this.#refusals.get(active.request_id);
    if (asked.kind === "refused") throw asked.error;
    return await runOperation(asked.request, {
      sessions: this.#tree.sessions,
      baseDirectory: this.#parts.baseDirectory,
      call: this.#parts.call,
      hasTerminals: this.#hasTerminals,
      handleSession: (terminalId) => this.#followExit(terminalId),
    });
  }

  /** The machine has no terminals after all, and the description no longer says so. */
  async #loseTerminals(): Promise<void> {
    this.#hasTerminals = false;
    await this.#publisher.describe(describe(false));
  }

  #followExit(terminalId: string): void {
    // Nobody waits for it when the service ends, and a terminal whose recording was removed has no end to notice.
    void this.#exits.follow(terminalId).catch((error: unknown) => {
      if (!(error instanceof NacreError)) this.#parts.handleProblem(error);
    });
  }

  #remember(requestId: string): void {
    this.#known.add(requestId);
    if (this.#known.size <= MAX_REMEMBERED) return;
    for (const oldest of this.#known) {
      this.#known.delete(oldest);
      break;
    }
  }
}

function activeOf(requestId: string, asked: Asked): Active {
  const request = asked.kind === "request" ? asked.request : undefined;
  return {
    request_id: requestId,
    operation: asked.kind === "request" ? asked.request.operation : asked.operation,
    tool: toolOf(asked),
    session_id: SessionId.safeParse(request?.fields["session_id"]).data ?? null,
    started_at_ms: Date.now(),
  };
}

function toolOf(asked: Asked): string | null {
  if (asked.kind === "request") return TOOL_NAMES[asked.request.operation];
  return asked.operation === "invoke" ? null : TOOL_NAMES[asked.operation];
}
