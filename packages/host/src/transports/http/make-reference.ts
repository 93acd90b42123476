import { generateReference } from "@nacre/contracts/generate";
import { DocsDocument } from "./docs-document.ts";
import { renderDocsPage } from "./docs-page.ts";

/** What is told about the interface, for programs and for people. */
export interface ApiReference {
  /** The OpenAPI document, as JSON. */
  readonly openApi: string;
  /** The page for people, as HTML. */
  readonly docs: string;
}

/** Makes both from the tables; the same for the same version of the host. */
export function makeReference(): ApiReference {
  const openApi = generateReference().get("openapi.json");
  if (openApi === undefined) throw new Error("the reference has no OpenAPI document");
  return { openApi, docs: renderDocsPage(DocsDocument.parse(JSON.parse(openApi))) };
}
