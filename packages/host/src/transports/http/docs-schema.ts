import type { DocsSchema } from "./docs-document.ts";
import { type Html, html } from "./html-text.ts";

const PREFIX = "#/components/schemas/";

/** The name a schema refers to, if it only does that. */
export const referredName = ({ $ref }: DocsSchema): string | undefined =>
  typeof $ref === "string" && $ref.startsWith(PREFIX) ? $ref.slice(PREFIX.length) : undefined;

/** What kind of value a schema asks for, in a few words. */
export function renderKind(schema: DocsSchema): Html {
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

/** The properties of an object schema, in order. */
export function propertiesOf(schema: DocsSchema): readonly (readonly [string, DocsSchema])[] {
  const { properties } = schema;
  if (typeof properties !== "object" || properties === null) return [];
  return Object.entries(properties).flatMap(([name, property]: [string, unknown]) =>
    isSchema(property) ? [[name, property] as const] : [],
  );
}

/** Whether an object schema needs a property. */
export const isRequired = ({ required }: DocsSchema, name: string): boolean =>
  Array.isArray(required) && required.includes(name);

/** Tells a schema from the other values in a document. */
export const isSchema = (value: unknown): value is DocsSchema =>
  typeof value === "object" && value !== null && !Array.isArray(value);
