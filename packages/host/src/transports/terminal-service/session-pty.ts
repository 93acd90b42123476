import type { Caller } from "@nacre/contracts";
import type { Registry } from "../../registry/registry.ts";
import type { DataCallback, ExitCallback } from "./session.ts";

type Terminal = ReturnType<Registry["get"]>;

/** What a session's pseudo-terminal asks of the service. */
interface Service {
  write(sessionId: string, data: string): boolean;
  resize(sessionId: string, cols: number, rows: number): boolean;
  killSession(sessionId: string): boolean;
  onData(callback: DataCallback): () => void;
  onExit(callback: ExitCallback): () => void;
}

/** The pseudo-terminal of a session, by the names of node-pty. Everything goes through its terminal and is recorded. */
export class SessionPty {
  readonly pid: number;
  readonly #terminal: Terminal;
  readonly #service: Service;
  readonly #id: string;
  readonly #by: Caller;

  constructor(
    terminal: Terminal,
    { service, id, by }: { readonly service: Service; readonly id: string; readonly by: Caller },
  ) {
    this.pid = terminal.leaderPid;
    this.#terminal = terminal;
    this.#service = service;
    this.#id = id;
    this.#by = by;
  }

  get cols(): number {
    return this.#terminal.status.size?.cols ?? 0;
  }

  get rows(): number {
    return this.#terminal.status.size?.rows ?? 0;
  }

  /** The title of the program. */
  get process(): string {
    const { title, shell } = this.#terminal.status;
    return title ?? shell ?? "";
  }

  write(data: string): void {
    this.#service.write(this.#id, data);
  }

  resize(cols: number, rows: number): void {
    this.#service.resize(this.#id, cols, rows);
  }

  /** Sends a signal to the program; without one it is ended with everything that it started. */
  kill(signal?: NodeJS.Signals): void {
    if (signal === undefined) this.#service.killSession(this.#id);
    // One that ended meanwhile has nothing left to be signalled.
    else void this.#terminal.signal(signal, this.#by).catch(() => undefined);
  }

  onData(listener: (data: string) => void): { dispose(): void } {
    const dispose = this.#service.onData((id, data) => {
      if (id === this.#id) listener(data);
    });
    return { dispose };
  }

  onExit(listener: (ended: { exitCode: number | null; signal?: string }) => void): {
    dispose(): void;
  } {
    const dispose = this.#service.onExit((id, exitCode, signal) => {
      if (id === this.#id) listener({ exitCode, ...(signal === undefined ? {} : { signal }) });
    });
    return { dispose };
  }
}
