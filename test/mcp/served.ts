// One daemon, and a client of its tools over the wire that is asked for.
import { connect, type NacreClient } from "@nacre/client";
import { DaemonProcess } from "../support/daemon-process.ts";
import { environmentOf, makeHome } from "../support/nacre-program.ts";
import { type Era, ToolUser } from "../support/tool-user.ts";

/** The wires that tools are offered over. */
export const WIRES = ["stdio", "http"] as const;
export type Wire = (typeof WIRES)[number];

/** A daemon with an agent at work, and the people who look after it. */
export interface Served extends AsyncDisposable {
  readonly home: string;
  readonly agent: ToolUser;
  /** Somebody else, at the same daemon. */
  readonly person: NacreClient;
  readonly daemon: DaemonProcess;
}

/** Starts a daemon and connects an agent to it. */
export async function serve(wire: Wire, era?: Era): Promise<Served> {
  await using stack = new AsyncDisposableStack();
  const { path: home } = stack.use(makeHome());
  const daemon = stack.use(await DaemonProcess.start({ home, env: environmentOf(home) }));
  const agent = stack.use(
    wire === "stdio"
      ? (await ToolUser.overStdio(home, { era })).user
      : await ToolUser.overHttp(daemon.url, daemon.token, era),
  );
  const parts = stack.move();
  return {
    home,
    agent,
    person: connect({ url: daemon.url, token: daemon.token, clientLabel: "person" }),
    daemon,
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}
