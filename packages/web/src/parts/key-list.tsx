/** Keys separated by spaces. */
export type KeyMeaning = readonly [key: string, meaning: string];

export function KeyList({ keys }: { readonly keys: readonly KeyMeaning[] }) {
  return (
    <dl>
      {keys.map(([key, meaning]) => (
        <div key={key}>
          <dt>
            {key.split(" ").map((part) => (
              <kbd key={part}>{part}</kbd>
            ))}
          </dt>
          <dd>{meaning}</dd>
        </div>
      ))}
    </dl>
  );
}
