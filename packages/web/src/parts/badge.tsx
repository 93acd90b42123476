import type { Described, Tone } from "@nacre/client/ui";
import type { ComponentChildren } from "preact";

interface BadgeProps {
  readonly tone?: Tone;
  readonly title?: string;
  readonly children: ComponentChildren;
}

/** A short fact. */
export function Badge({ tone = "neutral", title, children }: BadgeProps) {
  return (
    <span class="badge" data-tone={tone} title={title}>
      {children}
    </span>
  );
}

/** A fact in the words and the tone that everybody shows it in, such as the state of a terminal or an exit code. */
export function FactBadge({ fact }: { readonly fact: Described }) {
  const { words, tone, details } = fact;
  return (
    <Badge tone={tone} {...(details === undefined ? {} : { title: details })}>
      {words}
    </Badge>
  );
}
