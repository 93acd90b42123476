import type { ComponentChildren } from "preact";

export type Tone = "neutral" | "good" | "bad" | "warn" | "info";

interface BadgeProps {
  readonly tone?: Tone;
  readonly title?: string;
  readonly children: ComponentChildren;
}

export function Badge({ tone = "neutral", title, children }: BadgeProps) {
  return (
    <span class="badge" data-tone={tone} title={title}>
      {children}
    </span>
  );
}
