import { listAttributes, formatColor } from "./look.ts";
import type { VisibleScreen } from "./picture.ts";

/** The visible rows as JSON: for each an array of runs, without the plain blanks at its end. */
export const renderCells = ({ rows }: VisibleScreen): string =>
  JSON.stringify(
    rows.map((runs) =>
      runs.map(({ text, width, style }) => {
        const attributes = listAttributes(style);
        return {
          text,
          width,
          fg: formatColor(style.fg),
          bg: formatColor(style.bg),
          attributes: attributes.length > 0 ? attributes : undefined,
        };
      }),
    ),
  );
