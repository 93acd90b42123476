import { type SettingName, SETTINGS } from "./config.ts";
import type { LoadedConfig } from "./load-config.ts";

/** One setting as it may be shown. */
export interface ShownSetting {
  readonly name: SettingName;
  /** Its value; null when it has none, and stars when it is secret. */
  readonly value: unknown;
  readonly origin: string;
}

/** All settings with where they came from; what is secret is only said to be there. */
export function showConfig({ config, origins }: LoadedConfig): readonly ShownSetting[] {
  return (Object.keys(SETTINGS) as SettingName[]).map((name) => {
    const value = config[name];
    const isHidden = SETTINGS[name].isSecret && value !== undefined;
    return { name, value: isHidden ? "***" : (value ?? null), origin: origins[name] };
  });
}
