import { type Need, needsOf, type QuickCall } from "@nacre/client/quick";

/** Everything that waits for a person, the oldest first. */
export async function allNeeds(call: QuickCall): Promise<readonly Need[]> {
  const { terminals } = await call("listTerminals", { state: "active", limit: 1000 });
  return terminals
    .flatMap((terminal) => needsOf(terminal))
    .toSorted((one, other) => Date.parse(sinceOf(one)) - Date.parse(sinceOf(other)));
}

/** Since when somebody waits. */
export function sinceOf(need: Need): string {
  switch (need.kind) {
    case "question":
    case "control":
      return need.request.askedAt;
    case "input":
      return need.input.since;
    case "failed":
      return need.endedAt ?? need.terminal.createdAt;
  }
}
