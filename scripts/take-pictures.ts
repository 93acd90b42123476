// Takes the pictures of the documentation from a real daemon, real programs and the real page: into docs/images, or into a directory that is named.
import { mkdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { connect, type NacreClient } from "@nacre/client";
import type { TerminalId } from "@nacre/contracts";
import { placeOf, WebRig } from "../test/web/web-rig.ts";

const ROOT = join(import.meta.dirname, "..");
const [named] = process.argv.slice(2);
const images = named ?? join(ROOT, "docs/images");

/** A small project whose tests pass and whose build does not. */
const PROJECT = {
  ".bash_profile": [
    `PATH=${dirname(process.execPath)}:${join(ROOT, "node_modules/.bin")}:$PATH`,
    String.raw`PS1='\[\e[36m\]shop\[\e[0m\] $ '`,
    "",
  ].join("\n"),
  "package.json": JSON.stringify({
    name: "shop",
    type: "module",
    scripts: { test: "node --test --test-reporter=spec", build: "tsc --pretty" },
  }),
  "tsconfig.json": JSON.stringify({
    compilerOptions: { strict: true, noEmit: true, module: "nodenext", types: [] },
    include: ["cart.ts"],
  }),
  "cart.ts": [
    "export interface Item {",
    "  readonly name: string;",
    "  readonly cents: number;",
    "  readonly discount?: number;",
    "}",
    "",
    "export const total = (items: readonly Item[]): number =>",
    "  items.reduce((sum, item) => sum + item.cents - item.discount, 0);",
    "",
  ].join("\n"),
  "cart.test.js": [
    'import assert from "node:assert";',
    'import { test } from "node:test";',
    'import { total } from "./cart.ts";',
    "",
    'test("an empty cart costs nothing", () => assert.equal(total([]), 0));',
    'test("discounts are taken off", () =>',
    '  assert.equal(total([{ name: "tea", cents: 500, discount: 50 }]), 450));',
    "",
  ].join("\n"),
  "server.js": [
    'import { createServer } from "node:http";',
    'const server = createServer((_request, response) => response.end("shop"));',
    "server.listen(0, () => console.log(`shop is ready on port ${server.address().port}`));",
    "",
  ].join("\n"),
  "deploy.sh": [
    "echo 'Deploying shop to staging'",
    "read -rsp 'Passphrase of the signing key: ' passphrase",
    "",
  ].join("\n"),
};

await using stack = new AsyncDisposableStack();
// Its name is in the pictures. Where it is there already, it belongs to somebody.
const project = join(named ?? tmpdir(), "shop");
await mkdir(project);
stack.defer(() => rm(project, { recursive: true }));
const rig = stack.use(await WebRig.open());
const { url, token } = rig.own;
const person = connect({ url, token, clientLabel: "laptop" });
for (const [name, text] of Object.entries(PROJECT)) await writeFile(join(project, name), text);

const shell = (client: NacreClient, name: string): Promise<TerminalId> =>
  rig.shell(client, {
    name,
    workingDirectory: project,
    env: { HOME: project },
    size: { cols: 96, rows: 28 },
  });
const type = (client: NacreClient, id: TerminalId, line: string): Promise<unknown> =>
  client.sendInput({ id, data: `${line}\r` });

const server = await shell(person, "Dev server");
await type(person, server, "node server.js");
await person.waitFor({ id: server, until: [{ kind: "text", text: "ready on" }], after: 0 });

const deployer = await rig.agent("deployer");
const deploy = await shell(deployer, "Deploy");
await type(deployer, deploy, "bash deploy.sh");
await deployer.waitFor({ id: deploy, until: [{ kind: "inputNeeded" }], after: 0 });

const migrator = await rig.agent("migrator");
const migration = await shell(migrator, "Migration");
await person.moveClaim({ id: migration });
await migrator.requestControl({ id: migration, note: "the backup is done, I can go on" });

const builder = await rig.agent("builder");
const build = await shell(builder, "Release build");
for (const commandLine of ["node --version", "npm test", "npm run build", "sed -n 8p cart.ts"]) {
  await builder.runCommand({ id: build, commandLine, timeoutMs: 60_000 });
}
await builder.requestInput({
  id: build,
  prompt: "An item may have no discount. Count it as 0, or refuse the cart?",
});

await mkdir(images, { recursive: true });
const options = { viewport: { width: 1280, height: 760 }, colorScheme: "dark" } as const;

const { page: one } = await rig.page(placeOf(build), options);
await one.locator(".banner").filter({ hasText: "Count it as 0" }).waitFor();
await one.locator(".xterm-rows").filter({ hasText: "item.discount" }).waitFor();
await one.locator(".viewers").filter({ hasText: "1" }).waitFor();
await one.getByRole("button", { name: "npm run build" }).click();
await one.locator(".command").filter({ hasText: "Found 1 error" }).waitFor();
await one.screenshot({ path: join(images, "terminal.png") });

const { page: all } = await rig.page("/", options);
await all.getByRole("listitem").filter({ hasText: "asks for a secret" }).waitFor();
await all.screenshot({ path: join(images, "terminals.png") });
