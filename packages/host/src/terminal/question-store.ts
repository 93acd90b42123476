import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  type Caller,
  CallerId,
  ClientId,
  InputRequest,
  RequestInputResult,
  Scope,
  TerminalId,
  TerminalOwnerReferenceSchema,
  Timestamp,
} from "@nacre/contracts";
import { hasErrno } from "../base/errno.ts";
import { z } from "zod";
import type { SavedQuestion } from "./input-requests.ts";

const FILE = "questions.json";
const OWNER_ONLY = 0o600;

/** Who asked, as far as it decides whether the answer may be typed and who may read it. */
const Asker = z.object({
  id: CallerId,
  scope: Scope,
  clientId: ClientId.optional(),
  session: z.string().optional(),
  owner: TerminalOwnerReferenceSchema.optional(),
});

const Ended = z.object({
  answer: RequestInputResult.omit({ request: true }),
  endedAt: Timestamp,
  isDismissed: z.boolean(),
});

const Saved = z.record(
  TerminalId,
  z.array(z.object({ request: InputRequest, asker: Asker, ended: Ended.optional() })),
);

/**
 * The questions of all Terminals that are open or whose answer was not fetched, in a small file that the next host reads.
 * An answer that was typed is never in it.
 */
export class QuestionStore {
  readonly #path: string;
  readonly #handleProblem: (error: unknown) => void;
  readonly #saved: Map<string, readonly SavedQuestion[]>;

  constructor(directory: string, handleProblem: (error: unknown) => void) {
    this.#path = join(directory, FILE);
    this.#handleProblem = handleProblem;
    this.#saved = new Map(Object.entries(this.#read()));
  }

  /** What was kept of a terminal. */
  of(id: TerminalId): readonly SavedQuestion[] {
    return this.#saved.get(id) ?? [];
  }

  /** Keeps the questions of a terminal instead of those before. */
  save(id: TerminalId, questions: readonly SavedQuestion[]): void {
    if (questions.length === 0 && !this.#saved.has(id)) return;
    if (questions.length === 0) this.#saved.delete(id);
    else
      this.#saved.set(
        id,
        questions.map((question) => ({ ...question, asker: storedCaller(question.asker) })),
      );
    this.#write();
  }

  /** Forgets the questions of terminals that did not go on. */
  retain(isRunning: (id: TerminalId) => boolean): void {
    const gone = [...this.#saved.keys()].filter((id) => !isRunning(TerminalId.parse(id)));
    for (const id of gone) this.#saved.delete(id);
    if (gone.length > 0) this.#write();
  }

  #read(): z.infer<typeof Saved> {
    try {
      return Saved.parse(JSON.parse(readFileSync(this.#path, "utf8")));
    } catch (error) {
      // There is none yet; one that cannot be read must not keep a host from its terminals.
      if (!hasErrno(error, "ENOENT")) this.#handleProblem(error);
      return {};
    }
  }

  /** Questions are few and short, and asked by people's pace: at once, so that none is lost. */
  #write(): void {
    try {
      if (this.#saved.size === 0) return rmSync(this.#path, { force: true });
      const draft = `${this.#path}.tmp`;
      writeFileSync(draft, JSON.stringify(Object.fromEntries(this.#saved)), { mode: OWNER_ONLY });
      renameSync(draft, this.#path);
    } catch (error) {
      this.#handleProblem(error);
    }
  }
}

const storedCaller = ({ id, scope, clientId, session, owner }: Caller): Caller => ({
  id,
  scope,
  ...(clientId === undefined ? {} : { clientId }),
  ...(session === undefined ? {} : { session }),
  ...(owner === undefined ? {} : { owner }),
});
