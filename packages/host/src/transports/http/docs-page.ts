import type { DocsDocument, DocsRequest, DocsSchema } from "./docs-document.ts";
import { curlExample } from "./docs-example.ts";
import { renderKind, isRequired, propertiesOf, referredName } from "./docs-schema.ts";
import { type Html, html } from "./html-text.ts";

/** Writes the page about the interface: every request with its input, output, errors and an example. */
export function renderDocsPage(document: DocsDocument): string {
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
