import type { ComponentChildren, ButtonHTMLAttributes } from "preact";
import { Icon, type IconName } from "./icon.tsx";

interface ButtonProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, "class" | "icon"> {
  readonly look?: "plain" | "primary" | "quiet" | "bad";
  readonly small?: boolean;
  readonly symbol?: IconName;
  readonly children?: ComponentChildren;
}

export function Button({ look = "plain", small = false, symbol, children, ...rest }: ButtonProps) {
  return (
    <button type="button" {...rest} class={`button ${look}${small ? " small" : ""}`}>
      {symbol !== undefined && <Icon name={symbol} />}
      {children !== undefined && <span>{children}</span>}
    </button>
  );
}
