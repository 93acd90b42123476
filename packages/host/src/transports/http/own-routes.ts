// The routes that are no operations: for people, for machines that watch, and for clients that do not trust us yet.
import { parse } from "@nacre/contracts";
import { requireScope } from "../../auth/authorize.ts";
import { PROOF_PATH, ProofInput } from "../../auth/proof.ts";
import { requireCallContext, type Route } from "./exchange.ts";
import { METRICS_TYPE, formatMetrics } from "./metrics-text.ts";
import { mcpRoute } from "./mcp-route.ts";
import { loadPage } from "./page.ts";
import { readBody } from "./read-body.ts";
import { docsReply, openApiReply } from "./reference.ts";
import { jsonReply, textReply } from "./reply.ts";
import type { RequestCounts } from "./request-counts.ts";
import type { RouterDeps } from "./router-parts.ts";

/** Who may look at figures of the whole host: not an agent, which knows only its own terminals. */
const METRICS_SCOPES = ["operator", "readOnly"] as const;

const PUBLIC_GET = { method: "GET", access: "public", scopes: [], mutates: false } as const;

/** All routes that the tables do not have, but for those of the terminal service. */
export function builtInRoutes(parts: RouterDeps, counts: RequestCounts): readonly Route[] {
  return [
    ...loadPage().map(({ path, reply }): Route => ({
      ...PUBLIC_GET,
      name: "page",
      path,
      answer: () => reply,
    })),
    {
      ...PUBLIC_GET,
      name: "healthz",
      path: "/healthz",
      answer: () => jsonReply(200, { ok: true }),
    },
    { ...PUBLIC_GET, name: "docs", path: "/docs", answer: () => docsReply() },
    { ...PUBLIC_GET, name: "openapi", path: "/openapi.json", answer: () => openApiReply() },
    {
      ...PUBLIC_GET,
      name: "proof",
      method: "POST",
      path: PROOF_PATH,
      answer: async ({ request }) => {
        const input = parse(ProofInput, await readBody(request));
        return jsonReply(200, parts.prover.prove(input, request.headers.host ?? ""));
      },
    },
    mcpRoute(parts),
    {
      name: "metrics",
      method: "GET",
      path: "/metrics",
      access: "credential",
      scopes: METRICS_SCOPES,
      mutates: false,
      answer: async (exchange) => {
        const context = requireCallContext(exchange);
        requireScope(METRICS_SCOPES, context.caller, "metrics");
        const host = await parts.operations.call("readHost", {}, context);
        const memory = process.memoryUsage();
        return textReply(
          METRICS_TYPE,
          formatMetrics({ host, source: parts.metrics, counts, memory }),
        );
      },
    },
  ];
}
