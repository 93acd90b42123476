// From what lies in a control file to what is asked for.
import { NacreError, parse } from "@nacre/contracts";
import { z } from "zod";
import { parseJsonText } from "../../operations/json-text.ts";
import {
  type ControlName,
  type ControlOperation,
  OPERATION_NAMES,
  TOOL_NAMES,
} from "./control-names.ts";
import { ControlRequestId } from "./payloads.ts";
import type { Commit } from "./pending-file.ts";

/** One request, before its own fields were looked at. */
export interface ControlRequest {
  /** What the answer is called; undefined where the request says nothing. */
  readonly requestId?: string | undefined;
  readonly operation: ControlOperation;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** The operations whose empty file asks for something all the same. */
const EMPTY_IS_ENOUGH: ReadonlySet<ControlName> = new Set(["create", "close", "read"]);

type Fields = Readonly<Record<string, unknown>>;

/** What was asked for, or the refusal with as much of the request as is known. */
export type ParsedRequest =
  | { readonly kind: "request"; readonly request: ControlRequest }
  | {
      readonly kind: "refused";
      readonly requestId?: string | undefined;
      readonly operation: ControlName;
      readonly error: unknown;
    };

/** Reads what was committed as a request. */
export function parseControlRequest(name: ControlName, commit: Commit): ParsedRequest {
  let requestId: string | undefined;
  try {
    const fields = parseFields(name, commit);
    requestId = ControlRequestId.safeParse(fields["request_id"] ?? findInnerId(name, fields)).data;
    const request = name === "invoke" ? parseInvoke(fields) : buildRequest(name, fields);
    return { kind: "request", request };
  } catch (error) {
    return { kind: "refused", requestId, operation: name, error };
  }
}

/** The id of an `invoke` may stand among the arguments; a refusal is the answer to it as well. */
function findInnerId(name: ControlName, fields: Fields): unknown {
  const inner = name === "invoke" ? (fields["arguments"] ?? fields["args"]) : undefined;
  return isObject(inner) ? inner["request_id"] : undefined;
}

const isObject = (value: unknown): value is Fields => typeof value === "object" && value !== null;

function parseFields(name: ControlName, commit: Commit): Fields {
  switch (commit.kind) {
    case "object":
      return withoutNulls(parseJsonText(commit.text) as Fields);
    case "empty":
      if (EMPTY_IS_ENOUGH.has(name)) return {};
      throw new NacreError("invalid_argument", `${name}.json is empty`);
    case "noObject":
      throw new NacreError("invalid_argument", `${name}.json is not a whole JSON object`, {
        suggestion: "Write one JSON object in UTF-8; best beside it and then rename it into place.",
      });
    case "refused":
      throw new NacreError("invalid_argument", `${name}.json is not read: ${commit.reason}`, {
        suggestion: "Put a plain file of your own there.",
      });
  }
}

function buildRequest(operation: ControlOperation, fields: Fields): ControlRequest {
  const { request_id: id, ...rest } = fields;
  return {
    operation,
    fields: rest,
    ...(id === undefined ? {} : { requestId: parse(ControlRequestId, id, "request_id") }),
  };
}

const InvokeEnvelope = z.strictObject({
  request_id: z.unknown().optional(),
  op: z.string().optional(),
  operation: z.string().optional(),
  tool_name: z.string().optional(),
  tool: z.string().optional(),
  arguments: z.record(z.string(), z.unknown()).optional(),
  args: z.record(z.string(), z.unknown()).optional(),
});

/** What `invoke` stands for; a bare command is to be executed. */
function parseInvoke(fields: Fields): ControlRequest {
  const isNamed = ["op", "operation", "tool_name", "tool"].some((key) => fields[key] !== undefined);
  if (!isNamed && (fields["command"] !== undefined || fields["argv"] !== undefined)) {
    return buildRequest("exec", fields);
  }
  const envelope = parse(InvokeEnvelope, fields);
  const name = envelope.op ?? envelope.operation ?? envelope.tool_name ?? envelope.tool;
  const operation = OPERATION_NAMES.find((one) => one === name || TOOL_NAMES[one] === name);
  if (operation === undefined) {
    throw new NacreError("invalid_argument", "op: there is no operation of this name", {
      field: "op",
      suggestion: `There are ${OPERATION_NAMES.join(", ")}.`,
    });
  }
  const inner = withoutNulls(envelope.arguments ?? envelope.args ?? {});
  const id = envelope.request_id ?? inner["request_id"];
  return buildRequest(operation, { ...inner, ...(id === undefined ? {} : { request_id: id }) });
}

const withoutNulls = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
