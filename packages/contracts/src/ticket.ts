import { z } from "zod";
import { Timestamp } from "./timestamp.ts";

/** The path of any connection fits. */
const MAX_TICKET_PATH_LENGTH = 512;

/** What a ticket is to be good for. */
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

/** A ticket: good for one connection of this Caller to this path, for a short time. */
export const CreateTicketResult = z
  .strictObject({
    ticket: z.string().min(1).meta({ description: "What to send as `ticket` in the query." }),
    expiresAt: Timestamp.meta({ description: "Until when it can be used." }),
  })
  .meta({ description: "A ticket for one connection." });
export type CreateTicketResult = z.infer<typeof CreateTicketResult>;
