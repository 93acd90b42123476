import { useEffect, useMemo } from "preact/hooks";
import { EmptyState } from "../parts/empty-state.tsx";
import { Toasts } from "../parts/toast.tsx";
import { clientLabel, token } from "./credential.ts";
import { LiveState } from "./live.ts";
import { matchPath, place } from "./place.ts";
import { Shell } from "./shell.tsx";
import { TokenNeeded } from "./token-needed.tsx";
import { VIEWS } from "./views.ts";

/** The whole page. */
export function App() {
  const given = token.value;
  return given === undefined ? <TokenNeeded /> : <Connected token={given} />;
}

function Connected({ token: given }: { readonly token: string }) {
  const live = useMemo(() => new LiveState(given, clientLabel()), [given]);
  useEffect(() => () => live[Symbol.dispose](), [live]);
  const { path, query } = place.value;
  for (const { path: pattern, show: Show, section } of VIEWS) {
    const params = matchPath(pattern, path);
    if (params === undefined) continue;
    return (
      <Shell live={live} section={section}>
        <Show key={path} live={live} params={params} query={query} />
        <Toasts />
      </Shell>
    );
  }
  return (
    <Shell live={live} section={undefined}>
      <EmptyState title="There is nothing here" action={<a href="#/">All terminals</a>}>
        No view has this address.
      </EmptyState>
    </Shell>
  );
}
