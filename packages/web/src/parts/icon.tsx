/** On a 16×16 grid. */
const STROKES = {
  terminal: "M2.5 3.5h11v9h-11zM5 6.5l2 1.75L5 10M8.5 10.25H11",
  recording: "M8 2.5a5.5 5.5 0 1 0 0 11a5.5 5.5 0 1 0 0-11zM8 5v3.25l2.25 1.5",
  search: "M7 2.75a4.25 4.25 0 1 0 0 8.5a4.25 4.25 0 1 0 0-8.5zM10.25 10.25L13.5 13.5",
  plus: "M8 3v10M3 8h10",
  close: "M4 4l8 8M12 4l-8 8",
  help: "M6 6.2a2 2 0 1 1 2.9 1.8c-.6.3-.9.7-.9 1.4M8 11.8v.1M8 1.75a6.25 6.25 0 1 0 0 12.5a6.25 6.25 0 1 0 0-12.5z",
  sun: "M8 5.25a2.75 2.75 0 1 0 0 5.5a2.75 2.75 0 1 0 0-5.5zM8 1.5v1.2M8 13.3v1.2M1.5 8h1.2M13.3 8h1.2M3.4 3.4l.9.9M11.7 11.7l.9.9M3.4 12.6l.9-.9M11.7 4.3l.9-.9",
  moon: "M13.2 9.6A5.6 5.6 0 0 1 6.4 2.8a5.6 5.6 0 1 0 6.8 6.8z",
  auto: "M8 2a6 6 0 1 0 0 12a6 6 0 1 0 0-12zM8 2v12M8 5l4-1.5M8 8h6M8 11l4 1.5",
  reader:
    "M8 2.2a1.2 1.2 0 1 0 0 2.4a1.2 1.2 0 1 0 0-2.4zM3 5.8l3.6.8v2.6L5.4 13.6M13 5.8l-3.6.8v2.6l1.2 4.4M6.6 9.2h2.8",
  hand: "M5 8V3.9a1 1 0 0 1 2 0V7M7 7V2.9a1 1 0 0 1 2 0V7M9 7V3.6a1 1 0 0 1 2 0V8.6M11 6.4a1 1 0 0 1 2 0V9.5c0 2.6-1.7 4.5-4.2 4.5C6.4 14 5.5 12.8 4.6 11L3 8.2c-.5-1 .9-1.8 1.5-.9L5 8",
  back: "M6.5 4L2.5 8l4 4M2.5 8h11",
  give: "M9.5 4l4 4-4 4M13.5 8h-11",
  eye: "M1.5 8S4 3.5 8 3.5S14.5 8 14.5 8S12 12.5 8 12.5S1.5 8 1.5 8zM8 6.2a1.8 1.8 0 1 0 0 3.6a1.8 1.8 0 1 0 0-3.6z",
  copy: "M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3",
  rerun: "M13 8a5 5 0 1 1-1.6-3.7M13 2.5v2.6h-2.6",
  key: "M5.2 7.2a2.7 2.7 0 1 0 0 5.4a2.7 2.7 0 1 0 0-5.4zM7.2 8.2L13 2.5M11 4.5l1.8 1.8M9.3 6.2l1.4 1.4",
  warn: "M8 2.2L14.5 13.5H1.5zM8 6.3v3.4M8 11.5v.1",
  stop: "M4 4h8v8H4z",
  pen: "M11.2 2.6l2.2 2.2-8 8-2.9.7.7-2.9z",
  down: "M4 6l4 4 4-4",
  right: "M6 4l4 4-4 4",
  up: "M4 10l4-4 4 4",
  list: "M5.5 4h8M5.5 8h8M5.5 12h8M2.5 4h.1M2.5 8h.1M2.5 12h.1",
  more: "M3.2 7.6h.8v.8h-.8zM7.6 7.6h.8v.8h-.8zM12 7.6h.8v.8H12z",
  play: "M5 3.2l8 4.8-8 4.8z",
  pause: "M5.5 3.5v9M10.5 3.5v9",
  step: "M4 3.5l6 4.5-6 4.5zM12.5 3.5v9",
  next: "M3 4l4 4-4 4M8.5 4l4 4-4 4",
  previous: "M13 4L9 8l4 4M7.5 4l-4 4 4 4",
  save: "M8 2.5v7.5M5 7l3 3 3-3M3 13.5h10",
  link: "M6.5 9.5l3-3M7.5 4.6l1.2-1.2a2.7 2.7 0 0 1 3.9 3.9l-1.2 1.2M8.5 11.4l-1.2 1.2a2.7 2.7 0 0 1-3.9-3.9l1.2-1.2",
  trash: "M3 4.5h10M6 4.5V3h4v1.5M4.5 4.5l.6 9h5.8l.6-9",
} as const;

export type IconName = keyof typeof STROKES;

export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      <path d={STROKES[name]} />
    </svg>
  );
}

export function Logo() {
  return <img class="logo" src="/icon.svg" alt="" width="24" height="24" />;
}
