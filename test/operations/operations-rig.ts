import { join } from "node:path";
import {
  type AuditRecord,
  type Caller,
  CallerId,
  ClientId,
  type CreateTokenInput,
  NacreError,
  type OperationInput,
  type OperationName,
  type OperationOutput,
  OPERATIONS,
  type TerminalData,
  type TerminalId,
  type TokenInfo,
} from "@nacre/contracts";
import {
  type CallContext,
  createHost,
  type Host,
  type HostOptions,
  type TokenStore,
} from "@nacre/host";
import { type OwnDirectory, ownDirectory } from "../support/own-directory.ts";

const clientOf = (name: string) => ({ id: CallerId.parse(name), clientId: ClientId.parse(name) });

/** May do everything. */
export const OPERATOR: Caller = { ...clientOf("olga"), scope: "operator" };

/** May only look. */
export const READER: Caller = { ...clientOf("rita"), scope: "readOnly" };

/** An agent with terminals of its own. */
export const agentNamed = (name: string, more: Partial<Caller> = {}): Caller => ({
  ...clientOf(name),
  scope: "agent",
  owner: { entityName: "Agent", entityId: name },
  ...more,
});

/** What must be there. */
export function present<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error("it is not there");
  return value;
}

/** A host whose store is on disk; everything goes with it. */
export class OperationsRig implements AsyncDisposable {
  readonly host: Host;
  readonly #root: OwnDirectory;

  private constructor(host: Host, root: OwnDirectory) {
    this.host = host;
    this.#root = root;
  }

  static async open(options: HostOptions = {}): Promise<OperationsRig> {
    const root = ownDirectory();
    const tickets = {
      issue: (caller: Caller) => ({
        ticket: `ticket of ${caller.id}`,
        expiresAt: new Date().toISOString(),
      }),
    };
    const host = await createHost({
      directory: join(root.path, "store"),
      tokens: new FakeTokens(),
      tickets,
      ...options,
    });
    return new OperationsRig(host, root);
  }

  /** The file that all recordings are in. */
  get storePath(): string {
    return join(this.#root.path, "store", "recordings.db");
  }

  /** Asks for an operation and checks that its answer has the shape that the table says. */
  async ask<Name extends OperationName>(
    name: Name,
    input: OperationInput<Name>,
    caller: Caller = OPERATOR,
    more: Partial<CallContext> = {},
  ): Promise<OperationOutput<Name>> {
    const context = { caller, via: "library", ...more } as const;
    const output = await this.host.operations.call(name, input, context);
    OPERATIONS[name].output.parse(JSON.parse(JSON.stringify(output)));
    return output;
  }

  /** Creates a terminal that runs this line with sh. */
  create(line: string, caller: Caller = OPERATOR): Promise<TerminalData> {
    const input = { workingDirectory: "/tmp", command: "/bin/sh", args: ["-c", line] };
    return this.ask("createTerminal", input, caller);
  }

  /** Creates a terminal with a shell that reports its commands. */
  createShell(caller: Caller = OPERATOR): Promise<TerminalData> {
    const env = { HOME: "/nonexistent" };
    return this.ask("createTerminal", { workingDirectory: "/tmp", shell: "bash", env }, caller);
  }

  /** Creates a terminal that ran this line, ended and left only its recording. */
  async createEnded(line: string, caller: Caller = OPERATOR): Promise<TerminalId> {
    const { id } = await this.create(line, caller);
    await this.ask("waitFor", { id, until: [{ kind: "exit" }], after: 0 });
    await this.ask("disposeTerminal", { id });
    return id;
  }

  /** Everything that was written down so far. */
  async audit(after = 0): Promise<AuditRecord[]> {
    const { records } = await this.ask("listAudit", { after, limit: 1000 });
    return records;
  }

  /** What of a terminal would tell that something was done to it. */
  async trace(id: TerminalId): Promise<unknown> {
    const { recording, claim, title, state, controlRequests } = await this.ask("readTerminal", {
      id,
    });
    return { recording, claim, title, state, controlRequests };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.host[Symbol.asyncDispose]();
    this.#root[Symbol.dispose]();
  }
}

/** Tokens that are only remembered. */
class FakeTokens implements TokenStore {
  readonly #tokens = new Map<string, TokenInfo>();

  list(): TokenInfo[] {
    return [...this.#tokens.values()];
  }

  create({ name, scope }: CreateTokenInput) {
    const info = { name, scope, createdAt: new Date().toISOString() };
    this.#tokens.set(name, info);
    return { token: `secret of ${name}`, info };
  }

  rotate(name: string) {
    return { token: `new secret of ${name}`, info: this.#require(name) };
  }

  revoke(name: string): void {
    this.#tokens.delete(this.#require(name).name);
  }

  #require(name: string): TokenInfo {
    const info = this.#tokens.get(name);
    if (info) return info;
    throw new NacreError("token_not_found", `there is no token ${name}`, { field: "name" });
  }
}
