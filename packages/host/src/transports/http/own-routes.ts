// The routes that are no operations: for people, for machines that watch, and for clients that do not trust us yet.
import { parse } from "@nacre/contracts";
import { requireScope } from "../../auth/authorize.ts";
import { PROOF_PATH, ProofInput } from "../../auth/proof.ts";
import { contextOf, type Route } from "./exchange.ts";
import { METRICS_TYPE, metricsText } from "./metrics-text.ts";
import { mcpRoute } from "./mcp-route.ts";
import { loadPage } from "./page.ts";
import { readBody } from "./read-body.ts";
import { docsReply, openApiReply } from "./reference.ts";
import { jsonReply, textReply } from "./reply.ts";
import type { RequestCounts } from "./request-counts.ts";
import type { RouterParts } from "./router-parts.ts";

/** Who may look at figures of the whole host: not an agent, which knows only its own terminals. */
const WATCHERS = ["operator", "readOnly"] as const;

const open = { method: "GET", access: "public", scopes: [], mutates: false } as const;

/** All routes that the tables do not have, but for those of the terminal service. */
export function ownRoutes(parts: RouterParts, counts: RequestCounts): readonly Route[] {
  return [
    ...loadPage().map(({ path, reply }): Route => ({
      ...open,
      name: "page",
      path,
      answer: () => reply,
    })),
    { ...open, name: "healthz", path: "/healthz", answer: () => jsonReply(200, { ok: true }) },
    { ...open, name: "docs", path: "/docs", answer: () => docsReply() },
    { ...open, name: "openapi", path: "/openapi.json", answer: () => openApiReply() },
    {
      ...open,
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
      scopes: WATCHERS,
      mutates: false,
      answer: async (exchange) => {
        const context = contextOf(exchange);
        requireScope(WATCHERS, context.caller, "metrics");
        const host = await parts.operations.call("readHost", {}, context);
        const memory = process.memoryUsage();
        return textReply(
          METRICS_TYPE,
          metricsText({ host, source: parts.metrics, counts, memory }),
        );
      },
    },
  ];
}
