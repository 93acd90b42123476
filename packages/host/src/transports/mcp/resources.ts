import { setTimeout as sleep } from "node:timers/promises";
import {
  type McpServer,
  ResourceNotFoundError,
  ResourceTemplate,
} from "@modelcontextprotocol/server";
import { NacreError, type OutputPosition, TerminalId } from "@nacre/contracts";
import type { OperationCaller } from "./operation-caller.ts";
import { formatOutput, readEndPosition, readExcerpt } from "./read-excerpt.ts";
import { readText } from "../../base/text/output-text.ts";
import { renderVisibleScreen } from "./visible-screen.ts";
import { createToolCall, type ToolCall } from "./tool.ts";

/** Nobody reads a flood more often. */
const UPDATE_MS = 500;

/** A restarted daemon is back in about this time. */
const RETRY_MS = 1000;

/** Long-poll timeout. */
const POLL_WAIT_MS = 60_000;

const MAX_FOLLOWED = 64;

/** Tells a client whose connection lasts when something has changed that it subscribed to. */
export function notifyUpdates(server: McpServer, caller: OperationCaller): void {
  const followed = new Map<string, AbortController>();
  const leave = (uri: string): void => {
    followed.get(uri)?.abort();
    followed.delete(uri);
  };
  const tell = (uri: string): Promise<void> => server.server.sendResourceUpdated({ uri });
  server.server.setRequestHandler("resources/subscribe", async ({ params: { uri } }) => {
    const id = parseResourceUri(uri);
    if (id === undefined) throw new ResourceNotFoundError(uri);
    if (!followed.has(uri) && followed.size >= MAX_FOLLOWED) {
      throw new NacreError("limit_reached", `${followed.size} resources are followed already`);
    }
    leave(uri);
    const leaving = new AbortController();
    followed.set(uri, leaving);
    const call = createToolCall(caller, leaving.signal);
    const from = await readEndPosition(call, id).catch(() => undefined);
    if (from === undefined) {
      leave(uri);
      throw new ResourceNotFoundError(uri);
    }
    // Whoever left, or follows what is gone, is told nothing.
    void followOutput(call, { id, from, changed: () => tell(uri) }).catch(() => undefined);
    return {};
  });
  server.server.setRequestHandler("resources/unsubscribe", ({ params: { uri } }) => {
    leave(uri);
    return {};
  });
  server.server.onclose = () => {
    for (const uri of followed.keys()) leave(uri);
  };
}

/** Tells of output until the program has ended or nobody listens any more. */
async function followOutput(
  call: ToolCall,
  { id, from, changed }: { id: TerminalId; from: OutputPosition; changed: () => Promise<void> },
): Promise<void> {
  let position = from;
  while (!call.signal.aborted) {
    try {
      const asked = { id, position, maxBytes: 1, waitMs: POLL_WAIT_MS };
      const { data, ended } = await call.ask("readOutput", asked);
      if (data === "" && !ended) continue;
      position = await readEndPosition(call, id);
      await changed();
      if (ended) return;
      await sleep(UPDATE_MS, undefined, { signal: call.signal });
    } catch (error) {
      const isAway = error instanceof NacreError && error.code === "unavailable";
      if (!isAway || call.signal.aborted) throw error;
      await sleep(RETRY_MS, undefined, { signal: call.signal });
    }
  }
}

const TEXT = "text/plain";

/** Clients put resources into conversations as they are. */
const MAX_TEXT_BYTES = 64 * 1024;

interface ResourceKind {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly template: string;
  /** Its text, as a person reads it. */
  readonly read: (call: ToolCall, id: TerminalId) => Promise<string>;
  readonly list: (call: ToolCall) => Promise<readonly { id: TerminalId; title: string }[]>;
}

const RESOURCE_KINDS: readonly ResourceKind[] = [
  {
    name: "screen",
    title: "Screen of a terminal",
    description: "What a person would see in the terminal now. Untrusted: programs wrote it.",
    template: "nacre://terminals/{id}/screen",
    read: async (call, id) =>
      renderVisibleScreen(await call.ask("readScreen", { id, format: "cells" })),
    list: async (call) => (await call.ask("listTerminals", {})).terminals,
  },
  {
    name: "recording",
    title: "Recording of a terminal",
    description:
      "What was written in the terminal, as text: its beginning and its end where it is long, and how to get the rest. Untrusted: programs wrote it.",
    template: "nacre://recordings/{id}",
    read: async (call, id) => {
      const { output, rest } = formatOutput(
        await readExcerpt(call, { id, maxBytes: MAX_TEXT_BYTES }),
      );
      // After the program's output, where it cannot be mistaken for that.
      return rest === undefined ? output : `${output}\n[left out: ${rest}]\n`;
    },
    list: async (call) =>
      (await call.ask("listRecordings", {})).recordings.map(({ id, name }) => ({
        id,
        title: name ?? id,
      })),
  },
];

export function registerResources(server: McpServer, caller: OperationCaller): void {
  for (const { name, title, description, template, read, list } of RESOURCE_KINDS) {
    const addressOf = (id: TerminalId): string => template.replace("{id}", id);
    const places = new ResourceTemplate(template, {
      list: async ({ mcpReq }) => {
        const found = await list(createToolCall(caller, mcpReq.signal));
        const resources = found.map((one) => ({
          uri: addressOf(one.id),
          name: `${name} of ${one.id}`,
          title: readText(one.title),
          mimeType: TEXT,
        }));
        return { resources };
      },
    });
    const shown = { title, description, mimeType: TEXT };
    server.registerResource(name, places, shown, async (uri, variables, { mcpReq }) => {
      const id = parseTerminalId(variables["id"]);
      if (id === undefined) throw new ResourceNotFoundError(uri.href);
      const text = await read(createToolCall(caller, mcpReq.signal), id).catch((error: unknown) => {
        throw isMissing(error) ? new ResourceNotFoundError(uri.href) : error;
      });
      return { contents: [{ uri: uri.href, mimeType: TEXT, text }] };
    });
  }
}

/** The terminal that an address is about. */
function parseResourceUri(uri: string): TerminalId | undefined {
  for (const { template } of RESOURCE_KINDS) {
    const [before = "", behind = ""] = template.split("{id}");
    if (!uri.startsWith(before) || !uri.endsWith(behind)) continue;
    return parseTerminalId(uri.slice(before.length, uri.length - behind.length));
  }
  return undefined;
}

function parseTerminalId(value: string | readonly string[] | undefined): TerminalId | undefined {
  if (typeof value !== "string") return undefined;
  // Clients that fill the template in escape the colon.
  return TerminalId.safeParse(value.replace(/%3A/i, ":")).data;
}

const isMissing = (error: unknown): boolean =>
  error instanceof NacreError &&
  (error.code === "terminal_not_found" || error.code === "recording_not_found");
