import { type Need, needsOf, type QuickCall } from "@nacre/client/quick";

/** Everything that waits for a person, the oldest first. */
export async function allNeeds(call: QuickCall): Promise<readonly Need[]> {
  const { terminals } = await call("listTerminals", { state: "active", limit: 1000 });
  const ended = await call("listTerminals", { state: "exited", limit: 1000 });
  // Of a program that ended, only what it was asked about is left to be told.
  const lapsed = ended.terminals.flatMap(needsOf).filter(({ kind }) => kind === "lapsed");
  return [...terminals.flatMap(needsOf), ...lapsed].toSorted(
    (one, other) => Date.parse(sinceOf(one)) - Date.parse(sinceOf(other)),
  );
}

/** Since when somebody waits. */
export function sinceOf(need: Need): string {
  switch (need.kind) {
    case "question":
    case "control":
    case "lapsed":
      return need.request.askedAt;
    case "input":
      return need.input.since;
    case "blocked":
      return need.blocked.since;
    case "failed":
      return need.endedAt ?? need.terminal.createdAt;
  }
}
