/** Keywords of JSON Schema. */
type Keywords = Readonly<Record<string, unknown>>;

/** A rule between fields in the words of JSON Schema: where the condition holds, so does the consequence. */
export const when = (condition: Keywords, consequence: Keywords, otherwise?: Keywords) => ({
  if: condition,
  // oxlint-disable-next-line no-thenable -- the keyword has this name; nobody awaits a rule
  then: consequence,
  ...(otherwise === undefined ? {} : { else: otherwise }),
});
