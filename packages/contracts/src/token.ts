import { z } from "zod";
import { cleanPath } from "./bounded-text.ts";
import { Timestamp } from "./ids.ts";
import { Scope } from "./scope.ts";
import { TerminalOwnerReferenceSchema } from "./terminal-input.ts";

const MAX_TICKET_PATH_LENGTH = 512;

export const CreateTicketInput = z
  .strictObject({
    path: z
      .string()
      .max(MAX_TICKET_PATH_LENGTH)
      .regex(/^\/[!-~]*$/, "expected a path of the host that begins with `/`")
      .regex(/^[^?#]*$/, "must not have a query or a fragment")
      .meta({
        description: "Path of the one connection the ticket is good for, without its query.",
      }),
  })
  .meta({ description: "What a ticket is to be good for." });
export type CreateTicketInput = z.infer<typeof CreateTicketInput>;

/** Good for one connection of this caller to this path, for a short time. */
export const CreateTicketResult = z
  .strictObject({
    ticket: z.string().min(1).meta({ description: "What to send as `ticket` in the query." }),
    expiresAt: Timestamp.meta({ description: "Until when it can be used." }),
  })
  .meta({ description: "A ticket for one connection." });
export type CreateTicketResult = z.infer<typeof CreateTicketResult>;

/** Safe in URLs, file names and caller ids. */
export const TokenName = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/,
    "expected 1 to 64 letters, digits, `.`, `_` or `-` that begin with a letter or digit",
  )
  .meta({ description: "Name of a token; also who the caller is that sends it." });
export type TokenName = z.infer<typeof TokenName>;

/** An agent works in few directories. */
const MAX_ROOTS = 32;

const roots = z
  .array(cleanPath("A directory, an absolute path."))
  .min(1)
  .max(MAX_ROOTS)
  .optional()
  .meta({
    description:
      "Directories in or below which its terminals start; wherever the host allows when absent.",
  });

const owner = TerminalOwnerReferenceSchema.optional().meta({
  description: "Whose terminals are its own, for an agent; one owner of its own when absent.",
});

export const TokenInfo = z
  .strictObject({
    name: TokenName,
    scope: Scope,
    owner,
    roots,
    createdAt: Timestamp.meta({ description: "When it was created or got its present secret." }),
    expiresAt: Timestamp.optional().meta({
      description: "When it is good for nothing any more; never when absent.",
    }),
    lastUsedAt: Timestamp.optional().meta({
      description: "When it was last sent since the host started; absent when it was not.",
    }),
  })
  .meta({ description: "A token without its secret." });
export type TokenInfo = z.infer<typeof TokenInfo>;

export const ListTokensInput = z.strictObject({}).meta({ description: "Nothing has to be said." });
export type ListTokensInput = z.infer<typeof ListTokensInput>;

/** More than people can tell apart. */
export const MAX_TOKENS = 1000;

export const TokenList = z
  .strictObject({
    tokens: z.array(TokenInfo).max(MAX_TOKENS).meta({ description: "The tokens, oldest first." }),
  })
  .meta({ description: "The tokens of a host." });
export type TokenList = z.infer<typeof TokenList>;

export const CreateTokenInput = z
  .strictObject({
    name: TokenName,
    scope: Scope,
    expiresAt: Timestamp.optional().meta({
      description: "From when on it is good for nothing; never when absent.",
    }),
    owner,
    roots,
  })
  .refine((input) => input.owner === undefined || input.scope === "agent", {
    path: ["owner"],
    message: "only a token of an agent has an owner",
  })
  .refine((input) => input.roots === undefined || input.scope === "agent", {
    path: ["roots"],
    message: "only a token of an agent has roots",
  })
  .meta({ description: "What a new token is good for." });
export type CreateTokenInput = z.infer<typeof CreateTokenInput>;

/** The secret is shown only here. */
export const CreateTokenResult = z
  .strictObject({
    token: z.string().min(1).meta({ description: "The secret; it is not told again." }),
    info: TokenInfo.meta({ description: "What it is good for." }),
  })
  .meta({ description: "A token with its secret." });
export type CreateTokenResult = z.infer<typeof CreateTokenResult>;

export const RotateTokenInput = z
  .strictObject({ name: TokenName })
  .meta({ description: "Which token gets a new secret." });
export type RotateTokenInput = z.infer<typeof RotateTokenInput>;

export const RevokeTokenInput = z
  .strictObject({ name: TokenName })
  .meta({ description: "Which token to take away." });
export type RevokeTokenInput = z.infer<typeof RevokeTokenInput>;

export const RevokeTokenResult = z
  .strictObject({ name: TokenName })
  .meta({ description: "Which token was taken away." });
export type RevokeTokenResult = z.infer<typeof RevokeTokenResult>;
