import { formatAge, formatAgo, safeText } from "@nacre/client/ui";
import { resolve } from "node:path";
import type { Scope, TokenInfo } from "@nacre/contracts";
import { NacreError } from "@nacre/contracts/error";
import type { Command, Outcome } from "../command.ts";
import type { Context } from "../context.ts";
import { parseWholeOwner } from "../option-values.ts";
import { formatTable } from "../print.ts";

const ACTIONS: Readonly<Record<string, (context: Context) => Promise<Outcome>>> = {
  ls: list,
  create,
  rotate,
  revoke,
};

export const tokensCommand: Command = {
  name: "tokens",
  section: "daemon",
  makesHome: true,
  summary: "List, create, rotate and revoke tokens",
  description:
    "A token lets a program in over HTTP as whom it names. Its secret is printed once, when it is created or rotated, and kept nowhere. Revoking ends every connection that was made with it.",
  arguments: [
    {
      name: "action",
      description: "ls (when left out), create, rotate or revoke",
      isOptional: true,
      completes: Object.keys(ACTIONS),
    },
    { name: "name", description: "Name of the token", isOptional: true },
  ],
  options: [
    {
      name: "scope",
      value: "SCOPE",
      choices: ["operator", "agent", "readOnly"],
      description: "create: what it may do; readOnly when absent",
    },
    { name: "expires", value: "TIME", description: "create: after so long it is good for nothing" },
    { name: "owner", value: "KIND:ID", description: "create: whose terminals are its own (agent)" },
    {
      name: "root",
      value: "DIR",
      isMany: true,
      description: "create: where its terminals may start (agent)",
    },
  ],
  examples: [
    { line: "nacre tokens", about: "all of them, without secrets" },
    { line: "nacre tokens create ci --scope agent --expires 30d", about: "for a program" },
    { line: "nacre tokens rotate ci", about: "a new secret; the old one is good for nothing" },
    { line: "nacre tokens revoke ci", about: "take it away" },
  ],

  async run(context) {
    const [word = "ls"] = context.args;
    const action = Object.hasOwn(ACTIONS, word) ? ACTIONS[word] : undefined;
    if (action) return await action(context);
    throw new NacreError(
      "invalid_argument",
      `tokens: ${word} is not one of ${Object.keys(ACTIONS).join(", ")}`,
      { field: "action", suggestion: "Run `nacre tokens --help`." },
    );
  },
};

async function list({ call, isQuiet, style }: Context): Promise<Outcome> {
  const { tokens } = await call("listTokens", {});
  const now = Date.now();
  const text = isQuiet
    ? tokens.map(({ name }) => safeText(name)).join("\n")
    : formatTable(
        tokens,
        [
          { head: "NAME", text: ({ name }) => name },
          { head: "SCOPE", text: ({ scope }) => scope },
          {
            head: "OWNER",
            text: ({ owner }) => (owner ? `${owner.entityName}:${owner.entityId}` : ""),
          },
          { head: "AGE", text: ({ createdAt }) => formatAge(now - Date.parse(createdAt)) },
          {
            head: "USED",
            text: ({ lastUsedAt }) => (lastUsedAt ? formatAgo(now - Date.parse(lastUsedAt)) : ""),
          },
          { head: "EXPIRES", text: ({ expiresAt }) => expiresAt ?? "" },
        ],
        style,
      );
  return { result: { tokens }, text };
}

async function create(context: Context): Promise<Outcome> {
  const { call, options } = context;
  const expires = options.durationMs("expires");
  const owner = options.text("owner");
  const roots = options.many("root").map((path) => resolve(path));
  return created(
    await call("createToken", {
      name: nameIn(context),
      scope: (options.text("scope") ?? "readOnly") as Scope,
      ...(expires === undefined ? {} : { expiresAt: new Date(Date.now() + expires).toISOString() }),
      ...(owner === undefined ? {} : { owner: parseWholeOwner(owner) }),
      ...(roots.length > 0 ? { roots } : {}),
    }),
  );
}

async function rotate(context: Context): Promise<Outcome> {
  return created(await context.call("rotateToken", { name: nameIn(context) }));
}

async function revoke(context: Context): Promise<Outcome> {
  const result = await context.call("revokeToken", { name: nameIn(context) });
  return { result, text: context.isQuiet ? "" : `${safeText(result.name)} is revoked.` };
}

/** The secret alone, so that it can be piped. */
const created = (result: { token: string; info: TokenInfo }): Outcome => ({
  result,
  text: safeText(result.token),
});

function nameIn({ args }: Context): string {
  const name = args[1];
  if (name !== undefined) return name;
  throw new NacreError("invalid_argument", "tokens: <name> is missing", { field: "name" });
}
