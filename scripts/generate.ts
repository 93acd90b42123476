// Writes docs/reference from the contracts, the schemas of the wires, the tools of MCP, the verbs of the CLI and the ledger of what was measured; with --check it only says what is stale.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { generateReference } from "@nacre/contracts/generate";
import { cliReference, REFERENCE_PATH } from "../packages/cli/src/reference.ts";
import { ahpDocuments } from "../packages/host/src/transports/ahp/protocol/documents.ts";
import {
  MCP_REFERENCE_PATH,
  renderMcpReference,
} from "../packages/host/src/transports/mcp/mcp-reference.ts";
import { reliabilityTargets } from "../test/reliability/targets.ts";
import { ledgerPage } from "../test/support/ledger-page.ts";
import { readLedger } from "../test/support/ledger.ts";

const directory = join(import.meta.dirname, "../docs/reference");
const isCheck = process.argv.includes("--check");

const wanted = new Map([
  ...generateReference(),
  ...ahpDocuments(),
  [REFERENCE_PATH, await cliReference()] as const,
  [MCP_REFERENCE_PATH, renderMcpReference()] as const,
  [
    "reliability.md",
    ledgerPage(new Map([["reliability", reliabilityTargets]]), readLedger()),
  ] as const,
]);
const present = existsSync(directory)
  ? readdirSync(directory, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(directory.length + 1))
  : [];
const stale = [...wanted].filter(([path, text]) => {
  const file = join(directory, path);
  return !existsSync(file) || readFileSync(file, "utf8") !== text;
});
const surplus = present.filter((path) => !wanted.has(path));

if (isCheck) {
  for (const path of [...stale.map(([path]) => path), ...surplus]) {
    console.error(`docs/reference/${path} is stale; run npm run generate`);
  }
  process.exitCode = stale.length + surplus.length > 0 ? 1 : 0;
} else {
  for (const path of surplus) rmSync(join(directory, path));
  for (const [path, text] of stale) {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), text);
  }
  console.log(`docs/reference: ${stale.length} written, ${surplus.length} removed`);
}
