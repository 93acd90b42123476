import {
  type McpServer,
  ResourceNotFoundError,
  ResourceTemplate,
} from "@modelcontextprotocol/server";
import { NacreError, type TerminalId, TerminalId as Id } from "@nacre/contracts";
import type { OperationCaller } from "./operation-caller.ts";
import { readableText } from "./readable-text.ts";
import { formatOutput, readExcerpt } from "./read-shown.ts";
import { renderVisibleScreen } from "./seen-screen.ts";
import { type ToolCall, createToolCall } from "./tool.ts";

const TEXT = "text/plain";

/** Clients put resources into conversations as they are: about as much as one reads of a long log. */
const MAX_TEXT_BYTES = 64 * 1024;

/** Reads the text of one thing that has an address, as a person reads it. */
type ReadText = (call: ToolCall, id: TerminalId) => Promise<string>;

interface ResourceKind {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly template: string;
  readonly read: ReadText;
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
      // Behind everything that a program wrote, where it cannot be mistaken for that.
      return rest === undefined ? output : `${output}\n[left out: ${rest}]\n`;
    },
    list: async (call) =>
      (await call.ask("listRecordings", {})).recordings.map(({ id, name }) => ({
        id,
        title: name ?? id,
      })),
  },
];

/** Offers screens and recordings by their addresses. */
export function registerResources(server: McpServer, caller: OperationCaller): void {
  for (const { name, title, description, template, read, list } of RESOURCE_KINDS) {
    const addressOf = (id: TerminalId): string => template.replace("{id}", id);
    const places = new ResourceTemplate(template, {
      list: async ({ mcpReq }) => {
        const found = await list(createToolCall(caller, mcpReq.signal));
        const resources = found.map((one) => ({
          uri: addressOf(one.id),
          name: `${name} of ${one.id}`,
          title: readableText(one.title),
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
export function parseResourceUri(uri: string): TerminalId | undefined {
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
  const parsed = Id.safeParse(value.replace(/%3A/i, ":"));
  return parsed.success ? parsed.data : undefined;
}

const isMissing = (error: unknown): boolean =>
  error instanceof NacreError &&
  (error.code === "terminal_not_found" || error.code === "recording_not_found");
