import { join } from "node:path";
import { type Caller, CallerId } from "@nacre/contracts";
import type { Host, HostOptions } from "@nacre/host";
import type { ControlLimits } from "../../packages/host/src/transports/files/control-limits.ts";
import { serveControlDirectory } from "../../packages/host/src/transports/files/serve-control-directory.ts";
import { type Answered, FileAgent } from "../support/file-agent.ts";
import { ownDirectory } from "../support/own-directory.ts";
import { openHost } from "../support/open-host.ts";

/** The agent that tests are. */
export const AGENT: Caller = {
  id: CallerId.parse("scribe"),
  scope: "agent",
  owner: { entityName: "Agent", entityId: "scribe" },
  roots: ["/tmp"],
};

/** A host that serves the directory of one agent. */
export interface Served extends AsyncDisposable {
  readonly host: Host;
  readonly agent: FileAgent;
  readonly problems: unknown[];
  /** Resolves with the first of the problems. */
  readonly problem: Promise<unknown>;
  /** Ends the service and begins it anew on the same directory. */
  restart(): Promise<void>;
}

/** What a directory is served with in a test. */
export interface ServeOptions {
  readonly limits?: Partial<ControlLimits>;
  readonly hasTerminals?: boolean;
  readonly caller?: Caller;
}

/** Opens a host and serves a directory of an agent. */
export async function openServed(
  options: ServeOptions = {},
  hostOptions: HostOptions = {},
): Promise<Served> {
  await using stack = new AsyncDisposableStack();
  const host = stack.use(await openHost(hostOptions));
  const place = stack.use(ownDirectory());
  const directory = join(place.path, "terminal");
  const problems: unknown[] = [];
  const first = Promise.withResolvers<unknown>();
  const serve = () =>
    serveControlDirectory({
      directory,
      caller: AGENT,
      operations: host.operations,
      handleProblem: (error) => {
        problems.push(error);
        first.resolve(error);
      },
      ...options,
    });
  let service = await serve();
  stack.defer(() => service[Symbol.asyncDispose]());
  const parts = stack.move();
  return {
    host,
    agent: new FileAgent(directory),
    problems,
    problem: first.promise,
    restart: async () => {
      await service[Symbol.asyncDispose]();
      service = await serve();
    },
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}

/** The bytes of an answer as text. */
export const decoded = ({ result }: Answered): string =>
  Buffer.from(String(result?.data_b64), "base64").toString();
