import { CAST_MEDIA_TYPE } from "@nacre/contracts";
import type { DocsDocument, DocsRequest, DocsSchema } from "./docs-document.ts";
import { isSchema, isRequired, propertiesOf, referredName } from "./docs-schema.ts";

/** What people send first; an example of only what is needed would do nothing. */
const BODIES: Readonly<Record<string, unknown>> = {
  createTerminal: { name: "build", size: { cols: 120, rows: 40 } },
  sendInput: { data: "ls\r" },
  execCommand: { commandLine: "uname -a" },
  resizeTerminal: { cols: 120, rows: 40 },
  changeLimits: { maxTerminals: 100 },
  pasteText: { text: "several\nlines" },
  requestInput: { prompt: "the password of the database" },
  answerInput: { text: "yes" },
  requestControl: { note: "I would like to run the tests" },
  signalTerminal: { signal: "SIGINT" },
  pruneRecordings: { keepLast: 100, dryRun: true },
  createToken: { name: "ci", scope: "readOnly" },
  createTicket: { path: "/api/terminals/$TERMINAL/connect" },
};

/** Words that stand for themselves where a schema only says that it wants text. */
const TEXTS: Readonly<Record<string, string>> = {
  commandLine: "make test",
  label: "before the upgrade",
  text: "error",
  title: "build",
  channel: "terminal:*.*",
};

/** What stands in a path, as variables of a shell. */
const VARIABLES: Readonly<Record<string, string>> = {
  id: "$TERMINAL",
  terminalId: "$TERMINAL",
  commandId: "$COMMAND",
  requestId: "$REQUEST",
  name: "ci",
};

interface ExampleTarget {
  readonly method: string;
  readonly path: string;
}

/** A command line that asks for one request over the unix socket, where the kernel says who asks and no token is needed. */
export function curlExample(
  { method, path }: ExampleTarget,
  request: DocsRequest,
  document: DocsDocument,
): string {
  const schemas = document.components.schemas;
  const target = path.replace(/\{([A-Za-z]+)\}/g, (_, name: string) => VARIABLES[name] ?? name);
  const isStream = request.responses["200"]?.content?.["text/event-stream"] !== undefined;
  const isUpload = request.requestBody?.content[CAST_MEDIA_TYPE] !== undefined;
  const isDownload = request.responses["200"]?.content?.[CAST_MEDIA_TYPE] !== undefined;
  const body = request.requestBody?.content["application/json"]?.schema;
  const sample = body && (BODIES[request.operationId] ?? makeExample(body, schemas));
  return [
    "curl",
    ...(isStream ? ["-N"] : ["-sS"]),
    ...(method === "GET" || (method === "POST" && sample) ? [] : ["-X", method]),
    '--unix-socket "$NACRE_SOCKET"',
    `"http://localhost${target}${formatQuery(request, schemas)}"`,
    ...(sample === undefined ? [] : ["--json", shellQuote(JSON.stringify(sample))]),
    ...(isUpload ? [`-H "content-type: ${CAST_MEDIA_TYPE}"`, "-T session.cast"] : []),
    // The host names the file.
    ...(isDownload ? ["-OJ"] : []),
  ].join(" ");
}

type Schemas = DocsDocument["components"]["schemas"];

function formatQuery({ parameters }: DocsRequest, schemas: Schemas): string {
  const needed = parameters.filter(({ in: place, required }) => place === "query" && required);
  const pairs = needed.map(({ name, schema }) => {
    const value = TEXTS[name] ?? String(makeExample(schema, schemas));
    return `${name}=${encodeURIComponent(value).replaceAll("%3A", ":").replaceAll("%2A", "*")}`;
  });
  return pairs.length === 0 ? "" : `?${pairs.join("&")}`;
}

/** A value of a schema with everything it needs and nothing else. */
function makeExample(schema: DocsSchema, schemas: Schemas, name = ""): unknown {
  const reference = referredName(schema);
  if (reference !== undefined) return makeExample(schemas[reference] ?? {}, schemas, name);
  const { type, enum: words, const: word, items, minItems, minimum } = schema;
  if (word !== undefined) return word;
  if (Array.isArray(words)) return words[0];
  const union: unknown = schema["anyOf"] ?? schema["oneOf"];
  const first: unknown = Array.isArray(union) ? union[0] : undefined;
  if (isSchema(first) && type === undefined) return makeExample(first, schemas, name);
  if (type === "boolean") return true;
  if (type === "integer" || type === "number") {
    return typeof minimum === "number" ? Math.max(1, minimum) : 1;
  }
  if (type === "array") {
    return isSchema(items) && typeof minItems === "number"
      ? [makeExample(items, schemas, name)]
      : [];
  }
  if (type !== "object") return TEXTS[name] ?? "text";
  return Object.fromEntries(
    propertiesOf(schema)
      .filter(([key]) => isRequired(schema, key))
      .map(([key, property]) => [key, makeExample(property, schemas, key)]),
  );
}

/** A variable of the shell inside must still be seen by it. */
const shellQuote = (text: string): string =>
  text.includes("$")
    ? `"${text.replace(/["\\`]/g, "\\$&")}"`
    : `'${text.replaceAll("'", "'\\''")}'`;
