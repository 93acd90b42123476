import type { RouteRow } from "../../packages/host/src/transports/http/route.ts";
import { createHttpRouter } from "../../packages/host/src/transports/http/http-router.ts";
import { sessionRoutes } from "../../packages/host/src/transports/terminal-service/session-routes.ts";
import { TerminalPassword } from "../../packages/host/src/transports/terminal-service/terminal-password.ts";

/** The routes of every daemon, from the code that makes them; nothing is behind them here. */
export function builtRoutes(): readonly RouteRow[] {
  const refuse = (): never => {
    throw new Error("nothing is behind these routes");
  };
  using router = createHttpRouter({
    operations: {
      call: refuse,
      follow: refuse,
      exportRecording: refuse,
      importRecording: refuse,
    },
    prover: { prove: refuse },
    foreignRoutes: sessionRoutes({
      operations: { call: refuse },
      service: {
        enabled: true,
        password: new TerminalPassword({ password: undefined }),
        platform: {},
      },
    }),
    mcp: { answer: refuse },
    metrics: { connections: refuse, refusals: refuse },
    openStream: refuse,
    handleProblem: refuse,
  });
  return router.routes;
}
