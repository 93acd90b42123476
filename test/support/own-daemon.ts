import { type Daemon, startDaemon } from "@nacre/host";
import { type Config, ConfigSchema } from "../../packages/host/src/config/config.ts";
import { ownDirectory } from "./own-directory.ts";

/** A daemon in this process, with a home of its own. */
export interface OwnDaemon extends AsyncDisposable {
  readonly daemon: Daemon;
  readonly home: string;
  readonly url: string;
  readonly port: number;
  /** The operator's secret. */
  readonly token: string;
}

/** How a daemon differs from a usual one. */
export interface OwnDaemonOptions {
  readonly settings?: Partial<Config>;
  /** Where it keeps everything, which stays; a temporary directory when absent. */
  readonly home?: string;
  readonly log?: (line: string) => void;
}

/** Starts a daemon on any port; disposing ends it. */
export async function ownDaemon(options: OwnDaemonOptions = {}): Promise<OwnDaemon> {
  const { settings, log = () => undefined } = options;
  await using stack = new AsyncDisposableStack();
  const home = options.home ?? stack.use(ownDirectory()).path;
  const directories = { home, state: home, run: `${home}/run`, config: home };
  const config = ConfigSchema.parse({ port: 0, ...settings });
  const daemon = stack.use(await startDaemon({ config, directories, version: "0.1.0", log }));
  const [url = "", token = ""] = daemon.urlWithToken.split("#token=");
  const parts = stack.move();
  return {
    daemon,
    home,
    url,
    token,
    port: Number(new URL(url).port),
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}
