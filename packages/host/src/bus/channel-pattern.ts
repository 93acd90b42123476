import { ChannelPattern, parse } from "@nacre/contracts";

/** A channel, parsed once for all listeners. */
export interface ChannelParts {
  readonly entityId: string;
  readonly eventName: string;
}

export interface ChannelMatcher {
  /** A few lookups, however many patterns there are. */
  matches(channel: ChannelParts): boolean;
  /** Whether the patterns select this event of some entity of the table. */
  mayMatch(table: string, eventName: string): boolean;
}

interface EventChoice {
  all: boolean;
  readonly exact: Set<string>;
  /** Prefixes that end with a dot. */
  readonly beginnings: Set<string>;
}

export function compilePatterns(patterns: readonly string[]): ChannelMatcher {
  const choices = new Map<string, EventChoice>();
  let selectsAll = false;
  for (const [index, text] of patterns.entries()) {
    const pattern = parse(ChannelPattern, text, `channels.${index}`);
    if (pattern === "*") selectsAll = true;
    else addPattern(choices, pattern);
  }
  return {
    matches: ({ entityId, eventName }) =>
      selectsAll ||
      selects(choices.get(entityId), eventName) ||
      selects(choices.get(`${tableOf(entityId)}:*`), eventName),
    mayMatch: (table, eventName) =>
      selectsAll ||
      [...choices].some(
        ([entity, choice]) => tableOf(entity) === table && selects(choice, eventName),
      ),
  };
}

export const tableOf = (entityId: string): string => entityId.slice(0, entityId.indexOf(":"));

/** False for text that is not a channel. */
export function matchesChannel(pattern: string, channel: string): boolean {
  const matcher = compilePatterns([pattern]);
  const parts = parseChannel(channel);
  return parts !== undefined && matcher.matches(parts);
}

/** Neither table nor identity contains a dot, so the first dot ends the entity id. */
function parseChannel(channel: string): ChannelParts | undefined {
  const dot = channel.indexOf(".");
  const colon = channel.indexOf(":");
  if (colon <= 0 || dot <= colon + 1 || dot === channel.length - 1) return undefined;
  return { entityId: channel.slice(0, dot), eventName: channel.slice(dot + 1) };
}

function addPattern(choices: Map<string, EventChoice>, pattern: string): void {
  const dot = pattern.indexOf(".");
  const entity = pattern.slice(0, dot);
  const event = pattern.slice(dot + 1);
  const choice = choices.get(entity) ?? { all: false, exact: new Set(), beginnings: new Set() };
  choices.set(entity, choice);
  if (event === "*") choice.all = true;
  else if (event.endsWith(".*")) choice.beginnings.add(event.slice(0, -1));
  else choice.exact.add(event);
}

function selects(choice: EventChoice | undefined, eventName: string): boolean {
  if (choice === undefined) return false;
  if (choice.all || choice.exact.has(eventName)) return true;
  for (const beginning of choice.beginnings) if (eventName.startsWith(beginning)) return true;
  return false;
}
