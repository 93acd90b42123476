import { hasQuery, NacreError } from "@nacre/contracts";
import type { z } from "zod";
import { type QueryDecoder, createQueryDecoder } from "./decode-query.ts";
import type { Exchange } from "./exchange.ts";
import { hasRequestBody, readBody } from "./read-body.ts";

/** Reads the input of a request, wherever its parts are. */
export type InputReader = (exchange: Exchange) => Promise<Record<string, unknown>>;

/** Makes a reader: path and query where a request has no body, path and body otherwise. */
export function createInputReader(method: string, schema: z.ZodType): InputReader {
  if (!hasQuery(method)) {
    return async ({ request, query, parameters }) => {
      if (query !== "") throw new NacreError("invalid_argument", `${method} takes no query here`);
      return withParameters(await readBody(request), parameters);
    };
  }
  let decoder: QueryDecoder | undefined;
  return async ({ request, query, parameters }) => {
    if (hasRequestBody(request))
      throw new NacreError("invalid_argument", `${method} takes no body here`);
    decoder ??= createQueryDecoder(schema);
    return withParameters(decoder(query), parameters);
  };
}

/** The path decides which thing is meant; somewhere else may only say the same. */
function withParameters(
  rest: Record<string, unknown>,
  parameters: Readonly<Record<string, string>>,
): Record<string, unknown> {
  for (const [name, value] of Object.entries(parameters)) {
    if (Object.hasOwn(rest, name) && rest[name] !== value) {
      throw new NacreError("invalid_argument", `${name}: is not what the path says`, {
        field: name,
      });
    }
  }
  return { ...rest, ...parameters };
}
