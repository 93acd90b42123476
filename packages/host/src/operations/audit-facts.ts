import { createHmac, type Hmac, randomBytes } from "node:crypto";
import {
  decodeBytes,
  type Encoding,
  type OperationInput,
  type OperationName,
} from "@nacre/contracts";

const KEY_BYTES = 32;

/** Shows in the audit whether two inputs were equal without revealing them: keyed, so that guesses cannot be tried. */
export class AuditDigest {
  /** Never stored, so that no file helps to guess what was typed. */
  readonly #key = randomBytes(KEY_BYTES);

  of(bytes: Uint8Array | string): string {
    return this.begin().update(bytes).digest("hex");
  }

  begin(): Hmac {
    return createHmac("sha256", this.#key);
  }
}

/** Counts, digests and names, never what was typed. */
export type AuditFacts = Readonly<Record<string, string | number | boolean>>;

const bytesFacts = (bytes: Uint8Array, digest: AuditDigest): AuditFacts => ({
  bytes: bytes.byteLength,
  digest: digest.of(bytes),
});

const textFacts = (text: string, digest: AuditDigest): AuditFacts =>
  bytesFacts(Buffer.from(text), digest);

export type AuditFactsTable = {
  readonly [Name in OperationName]?: (
    input: OperationInput<Name>,
    digest: AuditDigest,
  ) => AuditFacts;
};

interface InputPayload {
  readonly data?: string | undefined;
  readonly encoding?: Encoding | undefined;
  readonly keys?: readonly string[] | undefined;
}

const inputFacts = ({ data, encoding, keys }: InputPayload, digest: AuditDigest): AuditFacts => ({
  ...(data === undefined ? {} : bytesFacts(decodeBytes({ data, encoding }), digest)),
  ...(keys === undefined ? {} : { keys: keys.length, ...textFacts(keys.join(" "), digest) }),
});

interface Program {
  readonly command?: string | undefined;
  readonly args?: readonly string[] | undefined;
  readonly commandLine?: string | undefined;
}

/** A program and its arguments may contain secrets: only their digest is kept. */
const programFacts = (
  { command, args = [], commandLine }: Program,
  digest: AuditDigest,
): AuditFacts => {
  const text = commandLine ?? (command === undefined ? undefined : [command, ...args].join("\0"));
  return text === undefined ? {} : textFacts(text, digest);
};

const forceFacts = ({ force = false }: { readonly force?: boolean | undefined }): AuditFacts =>
  force ? { force } : {};

/** Operations without a row are recorded by name only. */
export const AUDIT_FACTS: AuditFactsTable = {
  createTerminal: programFacts,
  execCommand: programFacts,
  sendInput: ({ cols, rows }) => (cols === undefined || rows === undefined ? {} : { cols, rows }),
  runCommand: ({ commandLine }, digest) => textFacts(commandLine, digest),
  renameTerminal: ({ title }, digest) => textFacts(title, digest),
  markRecording: ({ label }, digest) => textFacts(label, digest),
  resizeTerminal: ({ cols, rows }) => ({ cols, rows }),
  signalTerminal: ({ signal, target = "foreground" }) => ({ signal, target }),
  killTerminal: ({ graceMs }) => (graceMs === undefined ? {} : { graceMs }),
  disposeTerminal: forceFacts,
  disposeTerminals: ({ owner, session, force }) => ({
    ...(owner === undefined ? {} : { owner: `${owner.entityName}:${owner.entityId}` }),
    ...(session === undefined ? {} : { session }),
    ...forceFacts({ force }),
  }),
  deleteRecording: ({ purge = false, force }) => ({ purge, ...forceFacts({ force }) }),
  pruneRecordings: ({ dryRun = false, ...limits }) => ({
    dryRun,
    ...Object.fromEntries(Object.entries(limits).filter(([, limit]) => limit !== undefined)),
  }),
  moveClaim: ({ claim, epoch }) => ({
    ...(claim === undefined ? {} : { kind: claim.kind }),
    ...(epoch === undefined ? {} : { epoch }),
  }),
  requestControl: ({ wait = false }) => ({ wait }),
  answerControl: ({ requestId, grant }) => ({ requestId, grant }),
  requestInput: ({ kind, secret = false, wait = false }) => ({
    ...(kind === undefined ? {} : { kind }),
    secret,
    wait,
  }),
  withdrawInput: ({ requestId }) => ({ requestId }),
  answerInput: ({ requestId, text }) => ({ requestId, declined: text === undefined }),
  changeLimits: ({ maxTerminals }) => ({ maxTerminals }),
  createToken: ({ name, scope }) => ({ name, scope }),
  rotateToken: ({ name }) => ({ name }),
  revokeToken: ({ name }) => ({ name }),
};

/** Added once input was typed where it may be recorded; of a secret not even the length. */
export const INPUT_AUDIT_FACTS: AuditFactsTable = {
  sendInput: inputFacts,
  pasteText: ({ text }, digest) => textFacts(text, digest),
  answerInput: ({ text = "" }, digest) => textFacts(text, digest),
};
