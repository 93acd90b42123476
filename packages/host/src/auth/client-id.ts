import { type CallerId, ClientId, NacreError } from "@nacre/contracts";

/** The header in which a program says which of its caller's clients it is. */
export const CLIENT_LABEL_HEADER = "nacre-client-id";

/** Enough for a name and a random part, short enough to be in every claim. */
const MAX_LABEL_LENGTH = 64;

const LABEL = new RegExp(`^[A-Za-z0-9._:-]{1,${MAX_LABEL_LENGTH}}$`);

/**
 * The id of a client: the caller's own, with the label it chose behind it. A label only tells the clients of one caller
 * apart, so nobody can name another's client or the host; what is no label is refused with `invalid_argument`.
 */
export function makeClientId(caller: CallerId, label: string | undefined): ClientId {
  if (label === undefined) return ClientId.parse(caller);
  if (LABEL.test(label)) return ClientId.parse(`${caller}#${label}`);
  throw new NacreError(
    "invalid_argument",
    `${CLIENT_LABEL_HEADER}: expected 1 to ${MAX_LABEL_LENGTH} letters, digits, \`.\`, \`_\`, \`:\` or \`-\``,
    { field: CLIENT_LABEL_HEADER },
  );
}
