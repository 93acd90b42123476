import type { ComponentChildren } from "preact";

/** What a badge says at a glance. */
export type Tone = "neutral" | "good" | "bad" | "warn" | "info";

interface BadgeProps {
  readonly tone?: Tone;
  readonly title?: string;
  readonly children: ComponentChildren;
}

/** A short fact, such as the state of a terminal or an exit code. */
export function Badge({ tone = "neutral", title, children }: BadgeProps) {
  return (
    <span class="badge" data-tone={tone} title={title}>
      {children}
    </span>
  );
}
