import { attributesOf, chosenColor } from "./look.ts";
import type { VisibleScreen } from "./picture.ts";

/** The visible rows as JSON: for each an array of runs, without the plain blanks at its end. */
export const renderCells = ({ rows }: VisibleScreen): string =>
  JSON.stringify(
    rows.map((runs) =>
      runs.map(({ text, width, style }) => {
        const attributes = attributesOf(style);
        return {
          text,
          width,
          fg: chosenColor(style.fg),
          bg: chosenColor(style.bg),
          attributes: attributes.length > 0 ? attributes : undefined,
        };
      }),
    ),
  );
