import { Logo } from "../parts/icon.tsx";
import { refusal } from "./credential.ts";

/** What is shown to whoever comes without a token. */
export function TokenNeeded() {
  return (
    <main class="token-needed">
      <Logo />
      <h1>A token is needed</h1>
      {refusal.value !== undefined && <p role="alert">{refusal.value}</p>}
      <p>
        This page shows terminals only to whoever has a token. Open the address that{" "}
        <code>nacre serve</code> printed, or ask for it again:
      </p>
      <pre>
        <code>nacre status</code>
      </pre>
      <p class="quiet">
        The address ends with <code>#token=…</code>. The token stays in this tab and is gone when
        you close it.
      </p>
    </main>
  );
}
