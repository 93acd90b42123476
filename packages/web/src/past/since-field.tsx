interface SinceFieldProps {
  readonly value: string;
  readonly change: (value: string) => void;
}

/** How far back to look. */
export function SinceField({ value, change }: SinceFieldProps) {
  return (
    <select
      class="input"
      aria-label="Since"
      value={value}
      onChange={({ currentTarget }) => change(currentTarget.value)}
    >
      <option value="">Any time</option>
      <option value="1h">Last hour</option>
      <option value="24h">Last day</option>
      <option value="7d">Last week</option>
      <option value="30d">Last 30 days</option>
    </select>
  );
}
