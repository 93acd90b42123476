import { CAST_MEDIA_TYPE } from "@nacre/contracts";
import { generateReference } from "@nacre/contracts/generate";
import { z } from "zod";
import { type Html, html } from "./html-text.ts";

const PREFIX = "#/components/schemas/";

const referredName = ({ $ref }: DocsSchema): string | undefined =>
  typeof $ref === "string" && $ref.startsWith(PREFIX) ? $ref.slice(PREFIX.length) : undefined;

function renderKind(schema: DocsSchema): Html {
  const name = referredName(schema);
  if (name !== undefined) return html`<a href="#schema-${name}">${name}</a>`;
  const { type, items, enum: words, const: word } = schema;
  if (Array.isArray(words)) return html`${words.map(String).join(" | ")}`;
  if (word !== undefined) return html`${JSON.stringify(word)}`;
  if (isSchema(items)) return html`list of ${renderKind(items)}`;
  const union = alternativesOf(schema);
  if (union.length > 0) {
    return html`${union.map((one, index) => (index === 0 ? renderKind(one) : html` or ${renderKind(one)}`))}`;
  }
  return html`${typeof type === "string" ? type : "any"}${formatBounds(schema)}`;
}

const alternativesOf = ({ anyOf, oneOf }: DocsSchema): readonly DocsSchema[] => {
  const union = anyOf ?? oneOf;
  return Array.isArray(union) ? union.filter(isSchema) : [];
};

function formatBounds({ minimum, maximum, maxLength }: DocsSchema): string {
  if (typeof minimum === "number" && typeof maximum === "number" && maximum < 2 ** 53 - 1) {
    return ` ${minimum}…${maximum}`;
  }
  return typeof maxLength === "number" ? ` of at most ${maxLength} characters` : "";
}

function propertiesOf(schema: DocsSchema): readonly (readonly [string, DocsSchema])[] {
  const { properties } = schema;
  if (typeof properties !== "object" || properties === null) return [];
  return Object.entries(properties).flatMap(([name, property]: [string, unknown]) =>
    isSchema(property) ? [[name, property] as const] : [],
  );
}

const isRequired = ({ required }: DocsSchema, name: string): boolean =>
  Array.isArray(required) && required.includes(name);

const isSchema = (value: unknown): value is DocsSchema =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const DescribedSchema = z.looseObject({ description: z.string().optional() });

type DocsSchema = z.infer<typeof DescribedSchema> & Readonly<Record<string, unknown>>;

const SchemaShape: z.ZodType<DocsSchema> = DescribedSchema;

const ContentShape = z.record(z.string(), z.looseObject({ schema: SchemaShape }));

const ParameterShape = z.looseObject({
  name: z.string(),
  in: z.enum(["path", "query"]),
  required: z.boolean(),
  description: z.string(),
  schema: SchemaShape,
});

const RequestShape = z.looseObject({
  operationId: z.string(),
  summary: z.string(),
  parameters: z.array(ParameterShape),
  requestBody: z.looseObject({ required: z.boolean(), content: ContentShape }).optional(),
  responses: z.record(
    z.string(),
    z.looseObject({ description: z.string(), content: ContentShape.optional() }),
  ),
  "x-scopes": z.array(z.string()),
});

type DocsRequest = z.infer<typeof RequestShape>;

const DocsDocument = z.looseObject({
  info: z.looseObject({ title: z.string(), version: z.string(), description: z.string() }),
  paths: z.record(z.string(), z.record(z.string(), RequestShape)),
  components: z.looseObject({ schemas: z.record(z.string(), SchemaShape) }),
});
type DocsDocument = z.infer<typeof DocsDocument>;

/** A minimal example would do nothing, so these show what people send first. */
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

/** Example texts. */
const TEXTS: Readonly<Record<string, string>> = {
  commandLine: "make test",
  label: "before the upgrade",
  text: "error",
  title: "build",
  channel: "terminal:*.*",
};

/** Path parameters as shell variables. */
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

/** Over the unix socket, where the kernel identifies the caller and no token is needed. */
function curlExample(
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

/** Only required properties. */
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

/** Shell variables inside must still expand. */
const shellQuote = (text: string): string =>
  text.includes("$")
    ? `"${text.replace(/["\\`]/g, "\\$&")}"`
    : `'${text.replaceAll("'", "'\\''")}'`;

function renderDocsPage(document: DocsDocument): string {
  const { info, paths, components } = document;
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${info.title} API</title>
        <link rel="icon" href="data:," />
        <link rel="stylesheet" href="/docs.css" />
      </head>
      <body>
        <header>
          <h1>${info.title} API</h1>
          <p id="status">Version ${info.version}</p>
          <nav><a href="/">Terminals</a> <a href="/openapi.json">OpenAPI</a></nav>
        </header>
        <main>
          ${renderIntroduction(info.description)}
          <h2>Requests</h2>
          <ul>
            ${Object.entries(paths).flatMap(([path, requests]) => renderContents(path, requests))}
          </ul>
          ${Object.entries(paths).map(([path, requests]) => renderPath(path, requests, document))}
          <h2>Schemas</h2>
          ${Object.entries(components.schemas).map(([name, schema]) => renderSchema(name, schema))}
        </main>
      </body>
    </html> `;
  return page.text;
}

const renderIntroduction = (description: string): Html =>
  html`<section>
    <p>${description}</p>
    <p>
      Every request needs a credential. Over the unix socket of your own user the operating system
      says who you are, so the examples need none; <code>nacre status --json</code> tells where the
      socket is. Over HTTP, send <code>Authorization: Bearer …</code> with a token. Bodies are JSON
      in UTF-8 of at most 1&nbsp;MiB. In a query, lists are written by repeating a name and inner
      properties with a dot, such as <code>position.after=5</code>.
    </p>
    <pre><code>NACRE_SOCKET="$(nacre status --json | jq -r .result.socket)"
TERMINAL="$(curl -sS --unix-socket "$NACRE_SOCKET" http://localhost/api/terminals --json '{}' | jq -r .id)"</code></pre>
    <p>
      A failure has a status and a body such as
      <code
        >{"error":{"code":"invalid_argument","message":"…","field":"size.cols","suggestion":"…"}}</code
      >.
    </p>
  </section>`;

type Requests = Readonly<Record<string, DocsRequest>>;

const renderContents = (path: string, requests: Requests): readonly Html[] =>
  Object.entries(requests).map(
    ([method, { operationId, summary }]) =>
      html`<li>
        <a href="#${operationId}"><code>${method.toUpperCase()} ${path}</code></a> ${summary}
      </li>`,
  );

const renderPath = (path: string, requests: Requests, document: DocsDocument): Html =>
  html`<h2><code>${path}</code></h2>
    ${Object.entries(requests).map(([method, request]) =>
      renderRequest({ method: method.toUpperCase(), path }, request, document),
    )}`;

interface RequestTarget {
  readonly method: string;
  readonly path: string;
}

function renderRequest(place: RequestTarget, request: DocsRequest, document: DocsDocument): Html {
  const { operationId, summary, responses } = request;
  const statuses = Object.entries(responses);
  return html`<section class="operation" id="${operationId}">
    <h3>
      <span class="method">${place.method}</span> <code>${place.path}</code>
      <span class="quiet">${operationId}</span>
    </h3>
    <p>${summary}</p>
    <p class="quiet">For ${request["x-scopes"].join(", ")}.</p>
    ${renderInput(request, document)}
    <h4>Output</h4>
    ${statuses.filter(([status]) => status.startsWith("2")).map(([status, response]) => renderOutput(status, response))}
    <details>
      <summary>Errors</summary>
      <table>
        <tbody>
          ${statuses
            .filter(([status]) => !status.startsWith("2"))
            .map(
              ([status, { description }]) =>
                html`<tr>
                  <td>${status}</td>
                  <td>${renderParagraphs(description)}</td>
                </tr>`,
            )}
        </tbody>
      </table>
    </details>
    <h4>Example</h4>
    <pre><code>${curlExample(place, request, document)}</code></pre>
  </section>`;
}

const renderParagraphs = (text: string): readonly Html[] =>
  text.split("\n\n").map((one) => html`<div>${one.replaceAll("`", "")}</div>`);

function renderInput({ parameters, requestBody }: DocsRequest, { components }: DocsDocument): Html {
  const schema = requestBody?.content["application/json"]?.schema;
  const name = schema && referredName(schema);
  const body = name === undefined ? schema : components.schemas[name];
  const rows = [
    ...parameters.map((parameter) => renderRow({ ...parameter, place: parameter.in })),
    ...(body === undefined ? [] : renderPropertyRows(body, "body")),
  ];
  if (rows.length === 0)
    return html`<h4>Input</h4>
      <p>Nothing has to be said.</p>`;
  return html`<h4>Input</h4>
    <table>
      <thead>
        <tr>
          <th scope="col">Name</th>
          <th scope="col">Where</th>
          <th scope="col">Kind</th>
          <th scope="col">Meaning</th>
        </tr>
      </thead>
      <tbody>
        ${rows}
      </tbody>
    </table>`;
}

const renderPropertyRows = (schema: DocsSchema, place: string): readonly Html[] =>
  propertiesOf(schema).map(([name, property]) =>
    renderRow({
      name,
      place,
      required: isRequired(schema, name),
      description: property.description ?? "",
      schema: property,
    }),
  );

interface PropertyRow {
  readonly name: string;
  readonly place: string;
  readonly required: boolean;
  readonly description: string;
  readonly schema: DocsSchema;
}

const renderRow = ({ name, place, required, description, schema }: PropertyRow): Html =>
  html`<tr>
    <td><code>${name}</code>${required ? " (needed)" : ""}</td>
    <td>${place}</td>
    <td>${renderKind(schema)}</td>
    <td>${description}</td>
  </tr>`;

type DocsResponse = DocsRequest["responses"][string];

function renderOutput(status: string, { description, content = {} }: DocsResponse): Html {
  const forms = Object.entries(content).map(
    ([type, { schema }]) => html`<code>${type}</code>: ${renderKind(schema)}`,
  );
  return html`<p>${status} ${forms} <span class="quiet">${description}</span></p>`;
}

function renderSchema(name: string, schema: DocsSchema): Html {
  const rows = renderPropertyRows(schema, "");
  const inside =
    rows.length > 0
      ? html`<table>
          <tbody>
            ${rows}
          </tbody>
        </table>`
      : html`<pre><code>${JSON.stringify(schema, undefined, 2)}</code></pre>`;
  return html`<details id="schema-${name}">
    <summary><code>${name}</code> ${schema.description ?? ""}</summary>
    ${inside}
  </details>`;
}

export interface ApiReference {
  readonly openApi: string;
  readonly docs: string;
}

/** Deterministic per version. */
export function makeReference(): ApiReference {
  const openApi = generateReference().get("openapi.json");
  if (openApi === undefined) throw new Error("the reference has no OpenAPI document");
  return { openApi, docs: renderDocsPage(DocsDocument.parse(JSON.parse(openApi))) };
}
