import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Daemon } from "@nacre/host";
import type { Config } from "../../packages/host/src/config/config.ts";
import { AhpClient, type AhpClientOptions, ownChannel, ROOT } from "../support/ahp-client.ts";
import type { RootState, TerminalInfo } from "../support/ahp-mirror.ts";
import { type OwnDaemon, ownDaemon } from "../support/own-daemon.ts";
import { ownDirectory } from "../support/own-directory.ts";

/** What a program is started with beside what the protocol knows: `_meta["dev.nacre"]` of `createTerminal`. */
export interface LaunchExtras {
  readonly command?: string;
  readonly args?: readonly string[];
  readonly shell?: string;
  readonly shellIntegration?: "auto" | "off";
  readonly env?: Readonly<Record<string, string>>;
  readonly inputPolicy?: string;
}

/** How a client of the rig connects. */
export interface RigClientOptions extends AhpClientOptions {
  /** Versions it offers; the newest when absent. */
  readonly versions?: readonly string[];
  /** What it subscribes to with the handshake; nothing when absent. */
  readonly subscriptions?: readonly string[];
  /** The secret it connects with; the operator's when absent. */
  readonly token?: string;
}

/**
 * A daemon with a home of its own, whose shells are bash with an empty home.
 *
 * ```ts
 * const rig = await AhpRig.open();
 * afterAll(() => rig[Symbol.asyncDispose]());
 * using client = await rig.client();
 * const channel = await rig.run(client, "echo hello");
 * await client.watch(channel);
 * await client.untilText(channel, "hello");
 * ```
 */
export class AhpRig implements AsyncDisposable {
  readonly daemon: Daemon;
  /** Where the daemon keeps everything. */
  readonly home: string;
  /** Where shells start: an empty directory. */
  readonly userHome: string;
  readonly port: number;
  /** The operator's secret. */
  readonly token: string;
  /** Lines of the log that tell of a failure; a good test leaves none. */
  readonly failures: readonly string[];
  readonly #stack: AsyncDisposableStack;

  private constructor(parts: {
    readonly own: OwnDaemon;
    readonly userHome: string;
    readonly failures: readonly string[];
    readonly stack: AsyncDisposableStack;
  }) {
    const { daemon, home, port, token } = parts.own;
    this.daemon = daemon;
    this.home = home;
    this.userHome = parts.userHome;
    this.port = port;
    this.token = token;
    this.failures = parts.failures;
    this.#stack = parts.stack;
  }

  /** Starts a daemon on any port; ends with everything it started. */
  static async open(settings: Partial<Config> = {}): Promise<AhpRig> {
    await using stack = new AsyncDisposableStack();
    const { path: home } = stack.use(ownDirectory());
    const userHome = join(home, "user");
    mkdirSync(userHome);
    stack.use(changeEnvironment({ HOME: userHome, SHELL: "/bin/bash" }));
    const failures: string[] = [];
    const log = (line: string): void => {
      if (line.includes("failed")) failures.push(line);
    };
    const own = await ownDaemon({ home, settings: { stopGraceMs: 0, ...settings }, log });
    stack.use(own);
    return new AhpRig({ own, userHome, failures, stack: stack.move() });
  }

  /** The address of the protocol, with a token in the query as VS Code has it. */
  url({ path = "/", token = this.token }: { path?: string; token?: string } = {}): string {
    return `ws://127.0.0.1:${this.port}${path}?tkn=${token}`;
  }

  /** Opens a connection that has not shaken hands. */
  async connect({ token, ...options }: RigClientOptions = {}): Promise<AhpClient> {
    return await AhpClient.open(this.url(token === undefined ? {} : { token }), options);
  }

  /** Opens a connection and shakes hands. */
  async client(options: RigClientOptions = {}): Promise<AhpClient> {
    const { versions, subscriptions, ...rest } = options;
    const client = await this.connect(rest);
    await client.initialize({
      ...(versions ? { protocolVersions: versions } : {}),
      ...(subscriptions ? { initialSubscriptions: subscriptions } : {}),
    });
    return client;
  }

  /** Opens another connection of a client that may be gone, with what it knew; does not reconnect yet. */
  async again(client: AhpClient): Promise<AhpClient> {
    return await this.connect({ clientId: client.clientId, mirrors: client.mirrors });
  }

  /** Creates a terminal that runs a command line with sh; resolves with its channel. */
  async run(client: AhpClient, line: string, params: object = {}): Promise<string> {
    return await this.launch(client, { command: "/bin/sh", args: ["-c", line] }, params);
  }

  /** Creates a terminal with the default shell, bash; resolves with its channel once the first prompt is there. */
  async shell(client: AhpClient, params: object = {}): Promise<string> {
    const channel = ownChannel();
    await client.createTerminal(channel, params);
    await client.watch(channel);
    await client.until(() => isAtPrompt(client.text(channel)), `a prompt on ${channel}`);
    return channel;
  }

  /** Creates a terminal with more than the protocol can say; resolves with its channel. */
  async launch(client: AhpClient, extras: LaunchExtras, params: object = {}): Promise<string> {
    const channel = ownChannel();
    await client.createTerminal(channel, { ...params, _meta: { "dev.nacre": extras } });
    return channel;
  }

  /** What the list of a fresh root snapshot says of a terminal. */
  async infoOf(client: AhpClient, channel: string): Promise<TerminalInfo | undefined> {
    const { state } = await client.subscribe(ROOT);
    return (state as RootState).terminals?.find(({ resource }) => resource === channel);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stack.disposeAsync();
  }
}

/** For bash: writes `line-1.`, `line-2.` and so on, some hundred in a second, until it is given a line; then `the end`. */
export const COUNTING =
  "stty -echo; exec 3<&0; { read _ <&3; } & i=0; " +
  "while kill -0 $! 2>/dev/null; do echo line-$((++i)).; sleep 0.001; done; echo the end";

/** The numbers of the lines that `COUNTING` wrote, as they stand in a text. */
export const numbersIn = (text: string): readonly number[] =>
  [...text.matchAll(/line-(\d+)\./g)].map(([, number]) => Number(number));

/** Whether the last line ends like a prompt of bash. */
const isAtPrompt = (text: string): boolean => /[$#] $/.test(text);

/** Sets variables of this process until that is disposed. */
function changeEnvironment(changes: Readonly<Record<string, string>>): Disposable {
  const before = Object.keys(changes).map((name) => [name, process.env[name]] as const);
  Object.assign(process.env, changes);
  return {
    [Symbol.dispose]: () => {
      for (const [name, value] of before) {
        if (value === undefined) delete process.env[name];
        else process.env[name] = value;
      }
    },
  };
}
