// The class API that other programs know: sessions with callbacks, booleans and null instead of errors.
import { EventEmitter } from "node:events";
import {
  CallerId,
  ClientId,
  MAX_INPUT_BYTES,
  MAX_TERMINALS,
  NacreError,
  Size,
} from "@nacre/contracts";
import type { Registry } from "../../registry/registry.ts";
import { Scrollback } from "./scrollback.ts";
import { SessionPty } from "./session-pty.ts";
import {
  buildTerminalInput,
  type DataCallback,
  type DataHint,
  type ExitCallback,
  type SessionInfo,
  type SessionOptions,
  shellOf,
  type TerminalSession,
  toSessionInfo,
} from "./session.ts";

/** Opened for its first user and closed after its last, so that it does not keep the process alive. */
export class RefCounted<Thing extends AsyncDisposable> {
  readonly #open: () => Promise<Thing>;
  #opened: Promise<Thing> | undefined;
  #users = 0;

  constructor(open: () => Promise<Thing>) {
    this.#open = open;
  }

  /** Opens it for one more user, who gives it back once. */
  async acquire(): Promise<Thing> {
    this.#users++;
    this.#opened ??= this.#open();
    try {
      return await this.#opened;
    } catch (error) {
      await this.release();
      throw error;
    }
  }

  /** Closes it when nobody uses it any more; what could not be opened is opened anew the next time. */
  async release(): Promise<void> {
    this.#users--;
    const opened = this.#opened;
    if (this.#users > 0 || !opened) return;
    this.#opened = undefined;
    // Who wanted to open it was told why it could not be.
    const thing = await opened.catch(() => undefined);
    await thing?.[Symbol.asyncDispose]();
  }
}

/** Functions that want to be called; one that throws does not hurt the others. */
export class Callbacks<Arguments extends readonly unknown[]> {
  readonly #all = new Set<(...args: Arguments) => void>();
  readonly #handleProblem: (error: unknown) => void;
  readonly #listMore: () => Iterable<(...args: Arguments) => void>;

  /** @param listMore Those that somebody else keeps. */
  constructor(
    handleProblem: (error: unknown) => void,
    listMore: () => Iterable<(...args: Arguments) => void> = () => [],
  ) {
    this.#handleProblem = handleProblem;
    this.#listMore = listMore;
  }

  /** Adds one; what is returned takes it away again. */
  add(callback: (...args: Arguments) => void): () => void {
    // The same function may be added twice and is then called twice.
    const own = (...args: Arguments): void => callback(...args);
    this.#all.add(own);
    return () => void this.#all.delete(own);
  }

  call(...args: Arguments): void {
    for (const callback of [...this.#all, ...this.#listMore()]) {
      try {
        callback(...args);
      } catch (error) {
        this.#handleProblem(error);
      }
    }
  }
}

type Terminal = ReturnType<Registry["get"]>;

/** What the machine tells of itself. */
interface Platform<Info> {
  detectShell(): { readonly shell: string; readonly args: readonly string[] };
  isWSL(): boolean;
  getPlatformInfo(): Info;
}

/** A registry with everything that it needs; disposing it ends its terminals. */
export interface OpenRegistry extends AsyncDisposable {
  readonly registry: Registry;
}

export interface SessionServiceOptions<Info> {
  /** Opens the registry; called when there is a session and it is not open. It is closed after the last session. */
  open(): Promise<OpenRegistry>;
  readonly platform: Platform<Info>;
  /** How many sessions there may be; 1000 when absent. */
  readonly maxSessions?: number | undefined;
}

/** The fewest and the most sessions that a service may be set to have at once. */
export const MIN_MAX_SESSIONS = 1;
export const MAX_MAX_SESSIONS = MAX_TERMINALS;

interface LiveSession {
  readonly info: SessionInfo;
  readonly session: TerminalSession;
  readonly terminal: Terminal;
  readonly registry: Registry;
  readonly scrollback: Scrollback;
  /** Until when output is taken for a redraw. */
  redrawUntilMs: number;
}

/** Programs draw their prompt again within this time after a resize. */
const REDRAW_MS = 150;

const CALLER = {
  id: CallerId.parse("terminal-service"),
  scope: "operator",
  clientId: ClientId.parse("terminal-service"),
} as const;

/** Sessions for programs in the same process. No output is lost: not by a resize, a second viewer, or at the end. */
export class SessionService<Info = unknown> extends EventEmitter<{
  data: [sessionId: string, data: string, hint: DataHint];
  exit: [sessionId: string, exitCode: number | null, signal: string | undefined];
}> {
  readonly #options: SessionServiceOptions<Info>;
  readonly #shared: RefCounted<OpenRegistry>;
  readonly #creating = new Set<Promise<TerminalSession>>();
  readonly #live = new Map<string, LiveSession>();
  /** One for each session until everything about its end was told. */
  readonly #following = new Set<Promise<void>>();
  readonly #data: Callbacks<Parameters<DataCallback>>;
  readonly #exit: Callbacks<Parameters<ExitCallback>>;
  #maxSessions: number;
  #cleanups = 0;
  #lastError: unknown;

  constructor(options: SessionServiceOptions<Info>) {
    super();
    this.#options = options;
    this.#shared = new RefCounted(() => options.open());
    this.#maxSessions = options.maxSessions ?? MAX_MAX_SESSIONS;
    const keep = (error: unknown): void => void (this.#lastError = error);
    this.#data = new Callbacks(keep, () => this.rawListeners("data"));
    this.#exit = new Callbacks(keep, () => this.rawListeners("exit"));
  }

  /** Why the last call gave null or false, or what a callback threw. */
  get lastError(): unknown {
    return this.#lastError;
  }

  /** Starts a shell; null when there are too many sessions or it cannot be started, and `lastError` says why. */
  async createSession(options: SessionOptions = {}): Promise<TerminalSession | null> {
    const count = this.#live.size + this.#creating.size;
    if (count >= this.#maxSessions) {
      const message = `${count} of ${this.#maxSessions} sessions are running`;
      this.#lastError = new NacreError("limit_reached", message);
      return null;
    }
    const creating = this.#create(options);
    this.#creating.add(creating);
    try {
      return await creating;
    } catch (error) {
      this.#lastError = error;
      return null;
    } finally {
      this.#creating.delete(creating);
    }
  }

  /** Types into a session; false when there is none of this name, or it is more than fits at once. */
  write(sessionId: string, data: string): boolean {
    const live = this.#live.get(sessionId);
    if (!live?.terminal.isRunning) return false;
    if (Buffer.byteLength(data) > MAX_INPUT_BYTES) {
      const message = `more than ${MAX_INPUT_BYTES} bytes cannot be typed at once`;
      this.#lastError = new NacreError("payload_too_large", message, { field: "data" });
      return false;
    }
    live.terminal.write(data, { by: CALLER }).catch(this.#keepError);
    return true;
  }

  /** Gives a session a size; false when there is no such session or size. Output is never dropped: it comes with the hint that it may be a redraw. */
  resize(sessionId: string, cols: number, rows: number, suppressOutput = true): boolean {
    const live = this.#live.get(sessionId);
    const size = Size.safeParse({ cols, rows });
    if (!live?.terminal.isRunning || !size.success) return false;
    if (suppressOutput) live.redrawUntilMs = performance.now() + REDRAW_MS;
    live.terminal.resize(size.data, CALLER).catch(this.#keepError);
    return true;
  }

  /** Ends a session: SIGTERM, and SIGKILL after the grace time; `exit` tells when it is gone. */
  killSession(sessionId: string, graceMs?: number): boolean {
    const live = this.#live.get(sessionId);
    if (!live?.terminal.isRunning) return false;
    live.terminal.kill(CALLER, graceMs).catch(this.#keepError);
    return true;
  }

  getSession(sessionId: string): TerminalSession | undefined {
    return this.#live.get(sessionId)?.session;
  }

  /** Sessions that run, in the order of their creation. */
  getAllSessions(): SessionInfo[] {
    return [...this.#live.values()].map(({ info }) => info);
  }

  getSessionCount(): number {
    return this.#live.size;
  }

  /** The newest output, up to what callbacks were given; null when there is none. */
  getScrollback(sessionId: string): string | null {
    return this.#live.get(sessionId)?.scrollback.text || null;
  }

  /** The same: what is in it was given to callbacks already, and what comes next is not in it, so there is nothing to clear. */
  getScrollbackAndClearPending(sessionId: string): string | null {
    return this.getScrollback(sessionId);
  }

  getMaxSessions(): number {
    return this.#maxSessions;
  }

  /** Sets how many sessions there may be; what is no number from 1 to 1000 changes nothing. */
  setMaxSessions(limit: number): void {
    if (isMaxSessions(limit)) this.#maxSessions = limit;
  }

  /** Calls back with the output of all sessions; what is returned ends that. */
  onData(callback: DataCallback): () => void {
    return this.#data.add(callback);
  }

  /** Calls back with the end of each session; what is returned ends that. */
  onExit(callback: ExitCallback): () => void {
    return this.#exit.add(callback);
  }

  detectShell(): { readonly shell: string; readonly args: readonly string[] } {
    return this.#options.platform.detectShell();
  }

  isWSL(): boolean {
    return this.#options.platform.isWSL();
  }

  getPlatformInfo(): Info {
    return this.#options.platform.getPlatformInfo();
  }

  /** Ends all sessions, also those that are being created; resolves when they are gone, and never fails. */
  async cleanup(): Promise<void> {
    this.#cleanups++;
    const all = [...this.#live.values()];
    this.#live.clear();
    await Promise.all(
      all.map(({ registry, terminal }) => registry.dispose(terminal.id).catch(this.#keepError)),
    );
    await Promise.allSettled([...this.#creating, ...this.#following]);
  }

  async #create(options: SessionOptions): Promise<TerminalSession> {
    const { platform } = this.#options;
    const { shell = platform.detectShell().shell } = shellOf(options);
    const cleanups = this.#cleanups;
    const { registry } = await this.#shared.acquire();
    try {
      // As of all hosts: home, or the first root where home is outside the roots.
      const usual = await registry.defaultDirectory();
      const terminal = await registry.create(buildTerminalInput(options, usual), { by: CALLER });
      if (cleanups !== this.#cleanups) {
        await registry.dispose(terminal.id);
        throw new NacreError("unavailable", "all sessions were ended in the meantime");
      }
      return this.#begin({
        terminal,
        registry,
        info: toSessionInfo(terminal, { ...options, shell }),
      });
    } catch (error) {
      await this.#shared.release();
      throw error;
    }
  }

  #begin(begun: Pick<LiveSession, "terminal" | "registry" | "info">): TerminalSession {
    const scrollback = new Scrollback();
    const isRedrawing = (): boolean => performance.now() < live.redrawUntilMs;
    const session: TerminalSession = {
      ...begun.info,
      pty: new SessionPty(begun.terminal, { service: this, id: begun.info.id, by: CALLER }),
      get scrollbackBuffer() {
        return scrollback.text;
      },
      outputBuffer: "",
      flushTimeout: null,
      get resizeInProgress() {
        return isRedrawing();
      },
      resizeDebounceTimeout: null,
    };
    const live: LiveSession = { ...begun, session, scrollback, redrawUntilMs: 0 };
    this.#live.set(session.id, live);
    const following = this.#follow(live).catch(this.#keepError);
    this.#following.add(following);
    void following.then(() => this.#following.delete(following));
    return live.session;
  }

  async #follow(live: LiveSession): Promise<void> {
    const { session, terminal, scrollback } = live;
    try {
      for await (const message of terminal.subscribe({ after: 0, whenBehind: "replay" })) {
        if (message.kind !== "entry" || !message.view?.byteLength) continue;
        const data = Buffer.from(message.view).toString();
        scrollback.push(data);
        this.#data.call(session.id, data, { redraw: performance.now() < live.redrawUntilMs });
      }
    } finally {
      const { exitCode, signal } = await terminal.ended;
      this.#live.delete(session.id);
      this.#exit.call(session.id, exitCode ?? null, signal);
      await this.#forget(live);
    }
  }

  /** Nobody can ask for a session that ended, so nothing of it is kept. */
  async #forget({ registry, terminal }: LiveSession): Promise<void> {
    try {
      await registry.delete(terminal.id);
    } finally {
      await this.#shared.release();
    }
  }

  readonly #keepError = (error: unknown): void => {
    this.#lastError = error;
  };
}

/** Whether so many sessions can be allowed. */
export const isMaxSessions = (count: number): boolean =>
  Number.isInteger(count) && count >= MIN_MAX_SESSIONS && count <= MAX_MAX_SESSIONS;
