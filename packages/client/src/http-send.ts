import { NacreError, type Operation, OPERATIONS } from "@nacre/contracts";
import type { Send } from "./client.ts";
import { type HttpWire, requireSuccess } from "./http-wire.ts";
import { fillPath, encodeQuery } from "./request-path.ts";

/** Carries operations over HTTP, by the routes of the table. */
export function httpSend(wire: HttpWire): Send {
  return async (name, input, options) => {
    const operation: Operation = OPERATIONS[name];
    const { method, path: template } = operation.http;
    const isObject = typeof input === "object" && input !== null;
    const { path, rest } = fillPath(template, isObject ? input : {});
    const inQuery = method === "GET" || method === "DELETE";
    const response = await wire({
      method,
      path: inQuery ? path + encodeQuery(rest) : path,
      headers: {
        accept: "application/json",
        ...(inQuery ? {} : { "content-type": "application/json" }),
      },
      ...(inQuery ? {} : { body: JSON.stringify(rest) }),
      signal: options?.signal,
    });
    return await readJson(await requireSuccess(response));
  };
}

/** The JSON of an answer, as a whole. */
export async function readJson(response: Response): Promise<unknown> {
  const text = await readText(response);
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new NacreError("unexpected_answer", "the answer of the host is not whole", { cause });
  }
}

/** A connection that breaks within an answer is one that can be made again. */
async function readText(response: Response): Promise<string> {
  try {
    return await response.text();
  } catch (cause) {
    const message = "the connection broke within the answer; what was asked for may have happened";
    throw new NacreError("unavailable", message, { cause });
  }
}
