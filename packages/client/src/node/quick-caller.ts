import type { OperationInput, OperationName, OperationOutput } from "@nacre/contracts";
import { type ErrorCode, ERRORS, NacreError } from "@nacre/contracts/error";
import type { CallOptions } from "../client.ts";
import { fillPath, encodeQuery } from "../request-path.ts";
import { oneRequest } from "./one-request.ts";
import { ROUTES } from "./routes.ts";

/** Asks for one operation by its name. */
export type QuickCall = <Name extends OperationName>(
  name: Name,
  input: OperationInput<Name>,
  options?: CallOptions,
) => Promise<OperationOutput<Name>>;

/** Where a host listens, and which of its user's clients asks. */
export interface QuickOptions {
  readonly socketPath: string;
  readonly clientLabel?: string | undefined;
}

/** Operations over the unix socket of a host, whose answers are believed as they come: only for a host of this very version, since building all schemas takes longer than a short-lived program runs. The host checks what is asked in any case. */
export function quickCaller({ socketPath, clientLabel }: QuickOptions): QuickCall {
  return async <Name extends OperationName>(
    name: Name,
    input: OperationInput<Name>,
    { signal }: CallOptions = {},
  ) => {
    const [method = "GET", template = ""] = ROUTES[name].split(" ");
    const { path, rest } = fillPath(template, input);
    const inQuery = method === "GET" || method === "DELETE";
    const { status, text } = await oneRequest({
      socketPath,
      method,
      path: inQuery ? path + encodeQuery(rest) : path,
      headers: {
        accept: "application/json",
        ...(clientLabel === undefined ? {} : { "nacre-client-id": clientLabel }),
        ...(inQuery ? {} : { "content-type": "application/json" }),
      },
      body: inQuery ? undefined : JSON.stringify(rest),
      signal,
    });
    const answer = parseJson(text);
    if (status >= 300) throw failureOf(answer);
    // The same version of the host wrote it by the schema of this operation.
    return answer as OperationOutput<Name>;
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new NacreError("unexpected_answer", "the answer of the host is not whole", { cause });
  }
}

function failureOf(answer: unknown): NacreError {
  const { code, message, field, suggestion, details } = partsOf(partsOf(answer)["error"]);
  return new NacreError(isErrorCode(code) ? code : "unexpected_answer", String(message), {
    ...(typeof field === "string" ? { field } : {}),
    ...(typeof suggestion === "string" ? { suggestion } : {}),
    ...(typeof details === "object" && details !== null ? { details: { ...details } } : {}),
  });
}

const partsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null ? { ...value } : {};

const isErrorCode = (code: unknown): code is ErrorCode =>
  typeof code === "string" && Object.hasOwn(ERRORS, code);
