import type { ComponentChildren } from "preact";

interface EmptyStateProps {
  readonly title: string;
  readonly action?: ComponentChildren;
  readonly children?: ComponentChildren;
}

export function EmptyState({ title, action, children }: EmptyStateProps) {
  return (
    <section class="empty-state">
      <h2>{title}</h2>
      <p>{children}</p>
      {action !== undefined && <div class="empty-action">{action}</div>}
    </section>
  );
}
