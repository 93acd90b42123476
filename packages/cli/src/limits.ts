import { formatBytes } from "@nacre/client/ui";
import type { LimitsInForce, ProgramLimits } from "@nacre/contracts";
import { NacreError } from "@nacre/contracts/error";
import type { Option } from "./command.ts";
import type { OptionValues } from "./option-values.ts";
import { parseBytes } from "./sizes.ts";

export const LIMIT_OPTIONS: readonly Option[] = [
  { name: "max-memory", value: "BYTES", description: "Memory it may use, such as 2G" },
  { name: "max-processes", value: "N", description: "Processes and threads it may have at once" },
  { name: "max-cpus", value: "N", description: "Processors it may use, such as 1.5" },
  { name: "max-cpu-seconds", value: "N", description: "Seconds each process may compute" },
  { name: "max-open-files", value: "N", description: "Files each process may have open" },
];

export function parseLimits(options: OptionValues): { readonly limits?: ProgramLimits } {
  const memory = options.text("max-memory");
  const limits = {
    maxMemoryBytes: memory === undefined ? undefined : parseBytes(memory, "max-memory"),
    maxProcesses: options.integer("max-processes"),
    maxCpus: cpusOf(options.text("max-cpus")),
    maxCpuSeconds: options.integer("max-cpu-seconds"),
    maxOpenFiles: options.integer("max-open-files"),
  };
  const given = Object.entries(limits).filter(([, value]) => value !== undefined);
  return given.length === 0 ? {} : { limits: Object.fromEntries(given) as ProgramLimits };
}

export function shownLimits(limits: LimitsInForce): string {
  const { mechanism, maxMemoryBytes, maxProcesses, maxCpus, maxCpuSeconds, maxOpenFiles } = limits;
  const parts = [
    ...(maxMemoryBytes === undefined ? [] : [`memory ${formatBytes(maxMemoryBytes)}`]),
    ...(maxProcesses === undefined ? [] : [`processes ${maxProcesses}`]),
    ...(maxCpus === undefined ? [] : [`processors ${maxCpus}`]),
    ...(maxCpuSeconds === undefined ? [] : [`computing ${maxCpuSeconds} s`]),
    ...(maxOpenFiles === undefined ? [] : [`open files ${maxOpenFiles}`]),
  ];
  return parts.length === 0 ? mechanism : `${parts.join(", ")} (${mechanism})`;
}

function cpusOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text);
  throw new NacreError(
    "invalid_argument",
    `--max-cpus: ${text} is not a number; expected one such as 1.5`,
    {
      field: "max-cpus",
    },
  );
}

/** `NAME=VALUE`. */
export function parseVariables(pairs: readonly string[]): Record<string, string> {
  const variables: Record<string, string> = {};
  for (const pair of pairs) {
    const at = pair.indexOf("=");
    if (at < 1) {
      throw new NacreError("invalid_argument", `--env: ${pair} is not NAME=VALUE`, {
        field: "env",
      });
    }
    variables[pair.slice(0, at)] = pair.slice(at + 1);
  }
  return variables;
}
