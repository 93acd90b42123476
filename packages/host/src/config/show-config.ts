import { type SettingName, SETTINGS } from "./config.ts";
import type { LoadedConfig } from "./load-config.ts";

export interface ShownSetting {
  readonly name: SettingName;
  /** Null when unset, stars when secret. */
  readonly value: unknown;
  readonly origin: string;
}

/** Secrets are masked. */
export function showConfig({ config, origins }: LoadedConfig): readonly ShownSetting[] {
  return (Object.keys(SETTINGS) as SettingName[]).map((name) => {
    const value = config[name];
    const isHidden = SETTINGS[name].isSecret && value !== undefined;
    return { name, value: isHidden ? "***" : (value ?? null), origin: origins[name] };
  });
}
