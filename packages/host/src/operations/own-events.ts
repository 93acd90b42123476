import {
  type Caller,
  type EntityEventEnvelope,
  type EntityEventsMessage,
  HOST_ID,
  TerminalId,
} from "@nacre/contracts";
import type { Bus } from "../bus/bus.ts";
import type { Access } from "./access.ts";
import type { Feed } from "./feed.ts";

type Events = ReturnType<Bus["subscribe"]>;

/** The events of a subscription that are for a caller: an agent hears of its own terminals and of the host. */
export class OwnEvents implements Feed<"entityEvents"> {
  readonly #events: Events;
  readonly #iterator: AsyncIterator<EntityEventsMessage, undefined>;
  readonly #access: Access;
  readonly #caller: Caller;
  /** Whose a terminal is never changes, so it is looked up once. */
  readonly #known = new Map<string, boolean>();

  constructor(events: Events, access: Access, caller: Caller) {
    this.#events = events;
    this.#iterator = events[Symbol.asyncIterator]();
    this.#access = access;
    this.#caller = caller;
  }

  async next(): Promise<IteratorResult<EntityEventsMessage, undefined>> {
    for (;;) {
      const result = await this.#iterator.next();
      if (result.done || result.value.type === "resync") return result;
      if (await this.#isFor(result.value.event)) return result;
    }
  }

  return(): Promise<IteratorResult<EntityEventsMessage, undefined>> {
    this[Symbol.dispose]();
    return Promise.resolve({ done: true, value: undefined });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  [Symbol.dispose](): void {
    this.#events[Symbol.dispose]();
  }

  async #isFor(event: EntityEventEnvelope): Promise<boolean> {
    // How the host does concerns everybody whose terminals it has.
    if (this.#caller.scope !== "agent" || event.entityId === HOST_ID) return true;
    const id = terminalOf(event);
    if (id === undefined) return false;
    const known = this.#known.get(id);
    if (known !== undefined) return known;
    const isFor = await this.#access.isThere(id, this.#caller);
    if (this.#known.size >= MAX_KNOWN) this.#known.clear();
    this.#known.set(id, isFor);
    return isFor;
  }
}

/** More terminals than a host has at once; remembering them is only faster. */
const MAX_KNOWN = 4096;

/** The terminal that an event is about; events of anything else are for nobody but operators and readers. */
function terminalOf({ entityId, payload }: EntityEventEnvelope): TerminalId | undefined {
  const own = TerminalId.safeParse(entityId);
  if (own.success) return own.data;
  const named: unknown =
    typeof payload === "object" && payload !== null
      ? Reflect.get(payload, "terminalId")
      : undefined;
  return TerminalId.safeParse(named).data;
}
