// Composes a daemon around the host that `createHost` makes: credentials, transports and listeners; disposes of them in
// reverse order.
import { createServer as createHttpServer, type Server as HttpServer } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import { createServer } from "node:net";
import { NacreError, type NewAuditRecord } from "@nacre/contracts";
import { describeTcpListener, describeUnixListener, splitTarget } from "../auth/check-request.ts";
import { type GuardedHandlers, SERVER_OPTIONS, ServerGuard } from "../auth/server-guard.ts";
import { createPeerReader } from "../auth/peer.ts";
import { Prover } from "../auth/proof.ts";
import { Tickets } from "../auth/tickets.ts";
import { OPERATOR_TOKEN, Tokens } from "../auth/tokens.ts";
import type { Config } from "../config/config.ts";
import { type Directories, socketPathOf } from "../config/directories.ts";
import { createHost, type Host, PROTOCOL_VERSIONS } from "../host.ts";
import type { Operations } from "../operations/operations.ts";
import { InteractiveBoost } from "../pty/autogroup-priority.ts";
import { machineProbe, platformInfo } from "../pty/shell-detection.ts";
import { AhpUpgrades } from "../transports/ahp/ahp-upgrades.ts";
import { AgentHost } from "../transports/ahp/channels/agent-host.ts";
import { serveAhpLines } from "../transports/ahp/serve-ahp-lines.ts";
import { createHttpRouter } from "../transports/http/http-router.ts";
import { serveIpc } from "../transports/ipc/serve-ipc.ts";
import { McpEndpoint } from "../transports/mcp/mcp-endpoint.ts";
import { createRawUpgrades } from "../transports/raw/raw-upgrades.ts";
import { ServiceUpgrades } from "../transports/terminal-service/service-upgrades.ts";
import { sessionRoutes } from "../transports/terminal-service/session-routes.ts";
import { TerminalPassword } from "../transports/terminal-service/terminal-password.ts";
import { serveAgentDirectories } from "./agent-directories.ts";
import { type BindAddress, checkStart, requireNoPrograms, type TlsFiles } from "./check-start.ts";
import { Daemon, type ShutdownMode } from "./daemon.ts";
import { findDaemon, PublishedDiscovery, readDiscovery } from "./discovery.ts";
import { KeeperProcess } from "./keeper-process.ts";
import { hostOptions } from "./host-options.ts";
import { listenOnFirstFree, listenOnSocket } from "./listen.ts";
import { LOCK_PATIENCE_MS, waitForLock } from "./lock.ts";
import { Log, type LogSink } from "./log.ts";
import { ensurePrivateDirectory } from "./private-directory.ts";
import { scheduleRetention } from "./retention-schedule.ts";
import { unixSocketMux } from "./unix-socket-mux.ts";

class RefusalCounter {
  readonly #counts = new Map<string, number>();

  get counts(): ReadonlyMap<string, number> {
    return this.#counts;
  }

  readonly note = ({ action, outcome, facts }: NewAuditRecord): void => {
    if (action !== "refuse") return;
    const { unwritten } = facts ?? {};
    const more = typeof unwritten === "number" ? unwritten : 0;
    this.#counts.set(outcome, (this.#counts.get(outcome) ?? 0) + 1 + more);
  };
}

/** Workers that ended by themselves and are restarted. */
class RestartCounter {
  readonly #log: Log;
  readonly #counts = new Map<string, number>();

  constructor(log: Log) {
    this.#log = log;
  }

  readonly note = (part: string, error: unknown): void => {
    this.#counts.set(part, (this.#counts.get(part) ?? 0) + 1);
    this.#log.warn("a part ended and is started anew", { part, error });
  };

  get counts(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#counts);
  }
}

export interface DaemonOptions {
  readonly config: Config;
  readonly directories: Directories;
  readonly version: string;
  /** Whether somebody chose the port, so that no other will do; default true. */
  readonly isPortChosen?: boolean;
  /** How long another daemon that is just starting or ending is waited for; a moment when absent. */
  readonly lockPatienceMs?: number;
  /** Where the lines of the log go beside the file; standard error when absent. */
  readonly log?: LogSink;
}

/** The daemon's files are private. */
const UMASK = 0o077;

/** Leaves nothing behind when it fails. */
export async function startDaemon(options: DaemonOptions): Promise<Daemon> {
  const { config, directories, lockPatienceMs = LOCK_PATIENCE_MS } = options;
  const { tls, bind } = checkStart(config);
  // Disposed of in reverse order.
  await using stack = new AsyncDisposableStack();
  const umask = stack.adopt(process.umask(UMASK), (before) => void process.umask(before));
  ensurePrivateDirectory(directories.state);
  ensurePrivateDirectory(directories.run);
  const lock = await waitForLock(directories.state, () => isFound(directories), lockPatienceMs);
  if (!lock) throw alreadyRunningError(directories, lockPatienceMs);
  stack.use(lock);
  const { state } = directories;
  const log = stack.use(new Log({ state, level: config.logLevel, sink: options.log }));
  stack.defer(() => log.info("ended"));
  // A daemon that cannot start leaves its predecessor's programs running.
  const ending: ShutdownMode = { keepsPrograms: true };
  const parts = await buildServices({ ...options, umask, ending }, log, stack);
  const address = await listen({ ...options, ...parts, tls, bind, stack });
  if (address.takenPort !== undefined) {
    const reason = `another program has port ${address.takenPort}; choose one with --port or NACRE_PORT`;
    log.warn("listens on another port than usual", { address: address.url, reason });
  }
  const { operations, report } = parts;
  stack.use(
    await serveAgentDirectories({ config, directories, operations, handleProblem: report }),
  );
  const discovery = stack.use(
    new PublishedDiscovery(directories.run, {
      version: options.version,
      protocolVersions: PROTOCOL_VERSIONS,
      home: directories.home,
      endpoints: { socket: socketPathOf(directories), http: address },
      token: parts.tokens.operatorSecret,
    }),
  );
  stack.defer(
    parts.tokens.onRevoked((name) => {
      if (name === OPERATOR_TOKEN) discovery.changeToken(parts.tokens.operatorSecret);
    }),
  );
  stack.use(scheduleRetention({ config, recordings: parts.host.recordings, log }));
  ending.keepsPrograms = false;
  log.info("started", { pid: process.pid, address: address.url, version: options.version });
  return new Daemon({ discovery, log, ending, stack: stack.move() });
}

interface DaemonServices {
  readonly tokens: Tokens;
  readonly host: Host;
  readonly guard: ServerGuard;
  readonly operations: Operations;
  readonly handlers: GuardedHandlers;
  readonly agentHost: AgentHost;
  readonly report: (error: unknown) => void;
}

async function buildServices(
  options: DaemonOptions & { readonly umask: number; readonly ending: ShutdownMode },
  log: Log,
  stack: AsyncDisposableStack,
): Promise<DaemonServices> {
  const { config, directories, version, ending } = options;
  const report = (error: unknown): void => log.error("something failed", { error });
  const tokens = stack.use(new Tokens(directories.state));
  const tickets = new Tickets();
  const { noteTyping: handleTyped } = stack.use(new InteractiveBoost());
  // Elsewhere a terminal cannot be passed between processes.
  const keeper =
    config.keeper && process.platform === "linux"
      ? stack.use(await KeeperProcess.open({ directories, version, log, ending }))
      : undefined;
  if (!keeper) requireNoPrograms(directories);
  const restarts = new RestartCounter(log);
  const refusals = new RefusalCounter();
  const sources = { ...options, handleTyped, onWorkerExit: restarts.note, keeper };
  const host = stack.use(
    await createHost({
      ...hostOptions(sources, log),
      tokens,
      tickets,
      handleAudit: refusals.note,
      facts: () => ({
        version,
        ...(keeper ? { keeper: keeper.facts } : {}),
        restarts: restarts.counts,
      }),
    }),
  );
  const { operations, audit } = host;
  const leave = async (): Promise<void> => {
    if (keeper && ending.keepsPrograms) await host.registry.detach(report);
  };
  // Whatever fails from here on, the host must not end what it adopted.
  stack.defer(leave);
  const readPeer = createPeerReader(directories.run);
  const guard = stack.use(new ServerGuard({ tokens, tickets, audit, readPeer, report }));
  const password = new TerminalPassword({ password: config.terminalServicePassword });
  const platform = { ...platformInfo(machineProbe()) };
  const service = { enabled: config.terminalServiceEnabled, password, platform };
  const raw = stack.use(createRawUpgrades({ operations, handleProblem: report }));
  const sessions = stack.use(new ServiceUpgrades({ operations, service, handleProblem: report }));
  const agentHost = stack.use(new AgentHost({ operations, version, handleProblem: report }));
  const ahp = stack.use(new AhpUpgrades({ operations, agentHost, handleProblem: report }));
  const router = stack.use(
    createHttpRouter({
      operations,
      prover: new Prover(tokens),
      foreignRoutes: sessionRoutes({ operations, service }),
      mcp: stack.use(new McpEndpoint({ operations, version, handleProblem: report })),
      metrics: {
        connections: () => new Map(Object.entries(guard.counts)),
        refusals: () => refusals.counts,
      },
      openStream: (caller) => guard.openStream(caller),
      handleProblem: report,
    }),
  );
  // Before connections are closed, so that viewers see the end of their terminals.
  stack.defer(async () => {
    if (keeper && ending.keepsPrograms) return await leave();
    keeper?.endWithProcess();
    return await host.registry.close(config.stopGraceMs);
  });
  const handlers: GuardedHandlers = {
    publicPaths: router.routes
      .filter(({ access, method }) => access === "public" && method === "GET")
      .map(({ path }) => path),
    handleRequest: (...arrived) => router.handleRequest(...arrived),
    handleUpgrade: (request, ...arrived) => {
      const { path } = splitTarget(request.url ?? "");
      const upgrades = [ahp, sessions].find(({ paths }) => paths.includes(path)) ?? raw;
      upgrades.handleUpgrade(request, ...arrived);
    },
  };
  return { tokens, host, guard, operations, handlers, agentHost, report };
}

interface ListenDeps extends DaemonServices, DaemonOptions {
  readonly tls: TlsFiles | undefined;
  readonly bind: BindAddress;
  readonly stack: AsyncDisposableStack;
}

async function listen(deps: ListenDeps): Promise<{
  readonly url: string;
  readonly host: string;
  readonly port: number;
  readonly takenPort?: number;
}> {
  const { guard, operations, handlers, stack, bind, tls, config, directories } = deps;
  const unixHttp = createHttpServer(SERVER_OPTIONS);
  guard.guardServer(unixHttp, describeUnixListener(), handlers);
  const unix = createServer({ pauseOnConnect: true, allowHalfOpen: true });
  guard.guardLocal(
    unix,
    unixSocketMux({
      http: unixHttp,
      serveJsonRpc: (socket, admission) => {
        guard.noteConnection(socket, admission, "ahp");
        const { agentHost, report: handleProblem } = deps;
        serveAhpLines(socket, { operations, agentHost, admission, handleProblem });
      },
      serveLines: (socket, admission) => {
        guard.noteConnection(socket, admission, "ipc");
        const { caller, peer } = admission;
        serveIpc(socket, { operations, caller, peer, handleFault: deps.report }).catch(deps.report);
      },
    }),
  );
  await listenOnSocket(unix, socketPathOf(directories));
  // Whoever is connected stays until the guard closes all.
  stack.defer(() => void unix.close());
  const tcp: HttpServer = tls
    ? createHttpsServer({ ...SERVER_OPTIONS, ...tls })
    : createHttpServer(SERVER_OPTIONS);
  const ports = choosePorts(deps);
  const port = await listenOnFirstFree(tcp, bind.address, ports);
  stack.defer(() => void tcp.close());
  const scheme = tls ? "https" : "http";
  const own = `${scheme}://${bind.address.includes(":") ? `[${bind.address}]` : bind.address}:${port}`;
  const facts = describeTcpListener({
    port,
    isSecure: tls !== undefined,
    publicOrigins: [...config.publicOrigins, ...(bind.isLoopback ? [] : [own])],
  });
  // Nothing was awaited since the port is bound, so no request can precede its guard.
  guard.guardServer(tcp, facts, handlers);
  const [wanted = 0] = ports;
  const isTaken = wanted !== 0 && port !== wanted;
  return {
    url: `${own}/`,
    host: bind.address,
    port,
    ...(isTaken ? { takenPort: wanted } : {}),
  };
}

/** The chosen port; or that of a daemon which ended unexpectedly, the default, then any. */
function choosePorts({ config, directories, bind, isPortChosen = true }: ListenDeps) {
  if (isPortChosen || !bind.isLoopback) return [config.port];
  return [findPreviousPort(directories) ?? config.port, 0];
}

/** Of a daemon that could not clean up: clients come back there. */
function findPreviousPort({ run }: Directories): number | undefined {
  try {
    return readDiscovery(run)?.endpoints.http.port;
  } catch {
    // Another version or program wrote it.
    return undefined;
  }
}

/** Whether it can be said who has the lock; what cannot be read says nothing, whoever wrote it. */
function isFound({ run }: Directories): boolean {
  try {
    return findDaemon(run) !== undefined;
  } catch {
    return false;
  }
}

function alreadyRunningError({ state, run }: Directories, patienceMs: number): NacreError {
  const running = findDaemon(run);
  const waited = `waited ${Math.round(patienceMs / 1000)} s for it`;
  const who = running
    ? `with pid ${running.pid} at ${running.endpoints.http.url}`
    : `that is just starting or ending (${waited})`;
  return new NacreError("already_exists", `a daemon ${who} already serves ${state}`, {
    suggestion: "Use it (`nacre status`), end it (`nacre stop`), or set NACRE_HOME for another.",
  });
}
