// A host proves that it knows the token before it is sent: the token itself is never part of it.

/** Where a host gives its proof; nobody needs a credential for it. */
export const PROOF_PATH = "/api/proof";

/** Two thirds of a digest are more than enough to tell tokens apart, and say nothing about them. */
const CREDENTIAL_LENGTH = 16;

/** As many bytes as the digest has: no proof is ever asked for twice. */
const NONCE_BYTES = 32;

/** What a host is asked, and what only a host that knows the token answers. */
export interface ProofChallenge {
  /** The body of the request. */
  readonly body: string;
  /** Whether an answer proves that who gave it knows the token. */
  isProvenBy(answer: unknown): boolean;
}

/** Makes a question for whoever listens at an address that nobody can answer there without the token. */
export async function proofChallenge(token: string, host: string): Promise<ProofChallenge> {
  const key = await digest(new TextEncoder().encode(token));
  const credential = hexOf(await digest(key)).slice(0, CREDENTIAL_LENGTH);
  const nonce = hexOf(crypto.getRandomValues(new Uint8Array(NONCE_BYTES)));
  // Who passes the question on to the right host gets an answer for another address.
  const expected = await hmac(key, `${host}\n${nonce}`);
  return {
    body: JSON.stringify({ credential, nonce }),
    isProvenBy: (answer) =>
      typeof answer === "object" &&
      answer !== null &&
      "proof" in answer &&
      answer.proof === expected,
  };
}

const digest = async (bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> =>
  new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));

async function hmac(key: Uint8Array<ArrayBuffer>, text: string): Promise<string> {
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const imported = await crypto.subtle.importKey("raw", key, algorithm, false, ["sign"]);
  return hexOf(
    new Uint8Array(await crypto.subtle.sign("HMAC", imported, new TextEncoder().encode(text))),
  );
}

const hexOf = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
