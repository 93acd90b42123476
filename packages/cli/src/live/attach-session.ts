import { describeHolder, safeText } from "@nacre/client/ui";
import type { TerminalMessage } from "@nacre/client";
import type { NodeClient } from "@nacre/client/node";
import type {
  Claim,
  ClaimState,
  LostReason,
  Size,
  StorageInfo,
  TerminalId,
} from "@nacre/contracts";
import { NacreError } from "@nacre/contracts/error";
import { CLIENT_LABEL } from "../daemon-link.ts";
import { type AttachAction, AttachKeys, type DetachKeys } from "./attach-keys.ts";
import { Notice, type NoticeScreen } from "./notice.ts";
import { ProgramOutput } from "./program-output.ts";
import { drawRow, readRows } from "./row-of-cells.ts";
import { TerminalStream } from "./terminal-stream.ts";
import {
  CLEAR,
  KEEP_TITLE,
  RESET_MODES,
  scrollScreenUp,
  type TerminalUse,
  UserTerminal,
} from "./user-terminal.ts";

/** What the user of this machine is called by its daemon. */
const LOCAL_CALLER = "local";

/** How a claim looks from here. */
interface Holding {
  readonly isMine: boolean;
  /** Who holds the terminal, as in "agent s1 holds it". */
  readonly words: string;
}

/** Says who holds a terminal; with a token of somebody else nobody here knows by which name they go. */
function holdingOf(claim: unknown, hasToken = Boolean(process.env["NACRE_TOKEN"])): Holding {
  if (!isClaim(claim)) return { isMine: false, words: "somebody" };
  const mine = hasToken ? [] : [LOCAL_CALLER, `${LOCAL_CALLER}#${CLIENT_LABEL}`];
  const { kind, name } = describeHolder(
    claim,
    (one) => one.kind === "client" && mine.includes(one.clientId),
  );
  if (kind === "agent") return { isMine: false, words: `the agent session ${safeText(name)}` };
  const isNamed = kind === "person";
  return { isMine: kind === "you", words: isNamed ? safeText(name) : name.toLowerCase() };
}

/** Whether the host keeps a claim because nobody else is there for it. */
export const isFree = (claim: Claim): boolean =>
  claim.kind === "client" && (claim.clientId as string) === "host";

const isClaim = (claim: unknown): claim is Claim =>
  typeof claim === "object" && claim !== null && "kind" in claim;

export interface AttachOptions {
  readonly id: TerminalId;
  /** What people call it. */
  readonly label: string;
  readonly isReadOnly: boolean;
  readonly keys: DetachKeys;
  readonly client: NodeClient;
  /** Who holds it at first. */
  readonly claim: ClaimState;
  /** Finds the daemon anew. */
  connect(): Promise<NodeClient>;
}

/** How an attachment ended. */
export type AttachEnd =
  | { readonly kind: "detached" }
  | {
      readonly kind: "exited";
      readonly exitCode: number | null;
      readonly signal?: string;
      readonly lostReason?: LostReason;
    };

/** How the disk of the recordings does. */
const STORAGE_CHANNEL = "host:*.storage.changed";

/** A full reset, with which a snapshot begins; it would also throw away what the user has in the scrollback. */
const RESET_BYTES = 2;

/** Shows one terminal in the terminal of the user, and types what the user types. */
export class AttachSession implements TerminalUse, NoticeScreen {
  readonly #options: AttachOptions;
  readonly #keys: AttachKeys;
  readonly #stream: TerminalStream;
  readonly #notice: Notice;
  readonly #ending = new AbortController();
  #terminal: UserTerminal | undefined;
  #output = new ProgramOutput();
  #claim: unknown;
  /** The number of that claim; what is told of earlier ones is history. */
  #epoch: number;
  #isFirst = true;
  /** Whether it was said that somebody else holds what is typed into. */
  #isTold = false;
  #isLost = false;
  /** Whether something was typed since the host last said something: nobody knows whether that got there. */
  #isUnheard = false;
  #toldSize = "";
  #turn: Promise<void> = Promise.resolve();

  constructor(options: AttachOptions) {
    this.#options = options;
    this.#claim = options.claim.claim;
    this.#epoch = options.claim.epoch;
    this.#keys = new AttachKeys(options.keys);
    this.#stream = new TerminalStream({
      id: options.id,
      client: options.client,
      connect: () => options.connect(),
      signal: this.#ending.signal,
      handleConnection: (isThere) => this.#handleConnection(isThere),
    });
    this.#notice = new Notice(this);
  }

  /** Runs until the user leaves or the program ends; the terminal of the user is as before then. */
  async run(): Promise<AttachEnd> {
    await using terminal = await UserTerminal.take(this);
    this.#terminal = terminal;
    await using _notice = this.#notice;
    const leave = (): void => this.#ending.abort(terminal.left.reason);
    terminal.left.addEventListener("abort", leave);
    await terminal.write(KEEP_TITLE);
    const over = new AbortController();
    using _following = { [Symbol.dispose]: () => over.abort() };
    void this.#followStorage(over.signal);
    for await (const message of this.#stream.messages()) {
      if (message.kind === "exit") {
        const { kind: _, signal, ...rest } = message;
        return { kind: "exited", ...rest, ...(signal === undefined ? {} : { signal }) };
      }
      this.#isUnheard = false;
      await this.inTurn(() => this.#show(message));
    }
    if (this.#ending.signal.reason instanceof Error) throw this.#ending.signal.reason;
    return { kind: "detached" };
  }

  get size(): Size {
    return this.#terminal?.size ?? { cols: 80, rows: 24 };
  }

  get isWhole(): boolean {
    return this.#output.isWhole;
  }

  async write(data: string | Uint8Array): Promise<void> {
    await this.#terminal?.write(data);
  }

  async readLastRow(): Promise<string> {
    const { id } = this.#options;
    const at = this.#stream.cursor;
    if (at === undefined || at < 1 || this.#isLost) return "";
    const screen = await this.#stream.client.readScreen({ id, format: "cells", at });
    return drawRow(readRows(screen.content)[this.size.rows - 1]);
  }

  inTurn(task: () => Promise<void>): Promise<void> {
    const done = this.#turn.then(task);
    this.#turn = done.catch(() => undefined);
    return done;
  }

  leavesAtBottom(): boolean {
    return this.#output.isAlternate || this.#output.countsFromMargin;
  }

  handleInput(bytes: Uint8Array): void {
    for (const typed of this.#keys.push(bytes)) {
      if (typed.kind === "bytes") this.#type(typed.bytes);
      else void this.#act(typed.action).catch((error: unknown) => this.#tellFailure(error));
    }
  }

  handleResize(): void {
    if (!this.#options.isReadOnly) this.#stream.open?.resize(this.size);
  }

  handleResume(): void {
    this.#stream.restart();
  }

  #type(bytes: Uint8Array): void {
    if (this.#options.isReadOnly) {
      this.#notice.show(`read only: nothing is typed · ${this.#options.keys.words} detaches`);
      return;
    }
    const { open } = this.#stream;
    if (!open) return this.#notice.show("no connection: nothing was typed", true);
    open.write(bytes);
    this.#isUnheard = true;
    const { isMine, words } = holdingOf(this.#claim);
    if (isMine || this.#isTold || words === "nobody") return;
    this.#isTold = true;
    this.#notice.show(
      `${words} holds this terminal; you type along · ${this.#key("t")} takes over`,
    );
  }

  async #act(action: AttachAction): Promise<void> {
    const { id, isReadOnly, keys } = this.#options;
    if (action === "detach") return this.#ending.abort("detach");
    if (action === "help" || action === "unknown") return this.#notice.show(this.#help());
    if (isReadOnly) return this.#notice.show(`read only · ${keys.words} detaches`);
    if (action === "take") {
      this.#showClaim(await this.#stream.client.moveClaim({ id }));
      this.#stream.open?.resize(this.size);
      return;
    }
    this.#showClaim(await this.#stream.client.handBackClaim({ id }));
  }

  async #show(message: TerminalMessage): Promise<void> {
    switch (message.kind) {
      case "snapshot":
        return this.#showSnapshot(message);
      case "bytes":
        await this.#notice.uncover();
        await this.write(this.#output.push(message.bytes));
        return this.#notice.resume();
      case "size":
        return this.#showSize(message.size);
      case "title":
        return this.#showTitle(message.title);
      case "claim":
        return this.#showClaim(message);
      case "gap":
        return this.#notice.show("some output could not be recorded and is missing here");
      case "refusal":
        return this.#tellFailure(message.error);
      case "exit":
        return;
    }
  }

  async #showSnapshot({
    bytes,
    size,
    title,
  }: Extract<TerminalMessage, { kind: "snapshot" }>): Promise<void> {
    const before = this.#isFirst
      ? scrollScreenUp(this.size.rows)
      : `${RESET_MODES}${this.#output.isAlternate ? "\x1b[?1047l" : ""}${CLEAR}`;
    this.#notice.forget();
    this.#output = new ProgramOutput();
    await this.write(before);
    await this.write(this.#output.push(bytes.subarray(RESET_BYTES)));
    await this.#showTitle(title);
    const isOther = this.#isOtherSize(size);
    if (this.#isFirst) this.#notice.show(this.#greeting(isOther ? size : undefined));
    else this.#notice.resume();
    this.#isFirst = false;
  }

  async #showTitle(title: string): Promise<void> {
    if (title !== "" && this.isWhole) await this.write(`\x1b]2;${safeText(title)}\x07`);
  }

  #showSize(size: Size): void {
    if (!this.#isOtherSize(size)) return;
    const { words } = holdingOf(this.#claim);
    this.#notice.show(`${sizeWords(size)} as ${words} has it · ${this.#key("t")} fits it here`);
  }

  /** Whether a terminal has a size with which it is not drawn rightly here, which was not told yet. */
  #isOtherSize(size: Size): boolean {
    const mine = this.size;
    const isSame = size.cols === mine.cols && size.rows === mine.rows;
    if (isSame || sizeWords(size) === this.#toldSize) return false;
    this.#toldSize = sizeWords(size);
    // Whoever drives it decides; where that is this user, the size is on its way.
    const { isMine, words } = holdingOf(this.#claim);
    return !isMine && words !== "nobody";
  }

  #showClaim({ claim, epoch }: { readonly claim: unknown; readonly epoch: number }): void {
    if (epoch <= this.#epoch) return;
    this.#epoch = epoch;
    const { isMine, words } = holdingOf(claim);
    const isNew = words !== holdingOf(this.#claim).words;
    this.#claim = claim;
    this.#isTold = false;
    if (!isNew) return;
    const step = isMine ? `${this.#key("g")} gives it back` : `${this.#key("t")} takes over`;
    const drives = isMine ? "you hold this terminal now" : `${words} holds this terminal now`;
    this.#notice.show(this.#options.isReadOnly ? drives : `${drives} · ${step}`);
  }

  #handleConnection(isThere: boolean): void {
    if (isThere === !this.#isLost) return;
    this.#isLost = !isThere;
    if (isThere) return this.#notice.show("connected again");
    const doubt = this.#isUnheard ? "; the last keys may be missing" : "";
    this.#isUnheard = false;
    const { words } = this.#options.keys;
    this.#notice.show(`no connection; looking for the daemon${doubt} · ${words} leaves`, true);
  }

  /** Says while nothing can be recorded: the screen stands still then, and nothing else would tell why. */
  async #followStorage(signal: AbortSignal): Promise<void> {
    const { client } = this.#options;
    const read = async (): Promise<void> =>
      this.#showStorage((await client.readHost({}, { signal })).storage);
    const channels = [STORAGE_CHANNEL];
    try {
      await read();
      // Whatever is told, what is now counts.
      for await (const _message of client.events({ channels, signal })) await read();
    } catch {
      // Without a connection there is something else to say, and who may not ask is not told.
    }
  }

  #showStorage({ state }: StorageInfo): void {
    const { words } = this.#options.keys;
    switch (state) {
      case "ok":
        return this.#notice.stand(undefined);
      case "low":
        this.#notice.stand(undefined);
        return this.#notice.show("the disk runs low: `nacre status` says more");
      case "full":
        return this.#notice.stand(
          `disk full: shows nothing new until there is room; keys still work · \`nacre status\` · ${words} detaches`,
        );
      case "failing":
        return this.#notice.stand(
          `not recorded: shows nothing new; keys still work · \`nacre status\` · ${words} detaches`,
        );
    }
  }

  #tellFailure(error: unknown): void {
    if (!(error instanceof NacreError)) {
      this.#ending.abort(error);
      return;
    }
    const isHeld = error.code === "claim_held";
    const step = isHeld ? ` · ${this.#key("t")} takes over` : "";
    this.#notice.show(`${safeText(error.message)}${step}`);
  }

  #greeting(size: Size | undefined): string {
    const { label, keys, isReadOnly } = this.#options;
    const { isMine, words } = holdingOf(this.#claim);
    const holds = isMine ? "yours" : `held by ${words}`;
    const mode = isReadOnly ? " · read only" : "";
    const leave = `${keys.words} detaches, ${this.#key("?")} helps`;
    const other = size ? ` · ${sizeWords(size)}` : "";
    return `${safeText(label)}${mode} · ${leave} · ${holds}${other}`;
  }

  #help(): string {
    const { keys, isReadOnly } = this.#options;
    if (keys.prefix === undefined) return `${keys.words} detaches`;
    const claim = isReadOnly ? "" : `, t takes over, g gives back`;
    const [prefix = ""] = keys.words.split(" ");
    return `after ${prefix}: ${keys.words.slice(prefix.length + 1)} detaches${claim}, ${prefix} again types it`;
  }

  /** A key behind the first one. */
  #key(key: string): string {
    const { prefix, words } = this.#options.keys;
    return prefix === undefined ? "`nacre claim`" : `${words.split(" ")[0] ?? ""} ${key}`;
  }
}

const sizeWords = ({ cols, rows }: Size): string => `${cols}×${rows}`;
