// Icons as inline SVG: 16 px, drawn with the text's colour. An icon is decoration; the word beside it or the label of its
// button carries the meaning.

import type { ComponentChildren } from 'preact';

export type IconName = keyof typeof PATHS;

export function Icon({ name, size = 16 }: { readonly name: IconName; readonly size?: number }) {
  return (
    <svg
      class="icon"
      width={size}
      height={size}
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      stroke-width="1.5"
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden="true"
      focusable="false"
    >
      {PATHS[name]}
    </svg>
  );
}

const PATHS = {
  overview: <path d="M2 8.5 5 5l3 4 2.5-6L14 8" />,
  capacity: (
    <>
      <path d="M2.5 12a6 6 0 1 1 11 0" />
      <path d="m8 9.5 2.5-3.5" />
    </>
  ),
  jobs: <path d="M2.5 4h11M2.5 8h7.5M2.5 12h4.5" />,
  money: (
    <>
      <circle cx="8" cy="8" r="5.75" />
      <path d="M9.8 6.2C9.5 5.5 8.8 5.2 8 5.2c-1 0-1.8.500-1.8 1.4 0 2 3.7.800 3.7 2.8 0 .9-.9 1.4-1.9 1.4-.9 0-1.6-.3-1.9-1M8 4.2v7.6" />
    </>
  ),
  cluster: (
    <>
      <rect x="2.5" y="2.75" width="11" height="4" rx="1" />
      <rect x="2.5" y="9.25" width="11" height="4" rx="1" />
      <path d="M5 4.75h.01M5 11.25h.01" />
    </>
  ),
  logs: <path d="M3 3h10v10H3zM5.5 6h5M5.5 8h5M5.5 10h3" />,
  try: <path d="M4.5 3v10l8-5z" />,
  components: (
    <path d="M8 2.5 10.5 5 8 7.5 5.5 5zM4.5 6 7 8.5 4.5 11 2 8.5zM11.5 6 14 8.5 11.5 11 9 8.5zM8 9.5l2.5 2.5L8 14.5 5.5 12z" />
  ),
  sun: (
    <>
      <circle cx="8" cy="8" r="2.75" />
      <path d="M8 1.5v1.25M8 13.25v1.25M1.5 8h1.25M13.25 8h1.25M3.4 3.4l.9.900M11.7 11.7l.9.900M3.4 12.6l.9-.9M11.7 4.3l.9-.9" />
    </>
  ),
  moon: <path d="M13 9.8A5.5 5.5 0 0 1 6.2 3a5.5 5.5 0 1 0 6.8 6.8z" />,
  screen: <path d="M2.5 3.5h11v7.5h-11zM6 13.5h4" />,
  copy: (
    <>
      <rect x="5.5" y="5.5" width="7.5" height="7.5" rx="1.5" />
      <path d="M10.5 5.5V4A1.5 1.5 0 0 0 9 2.5H4A1.5 1.5 0 0 0 2.5 4v5A1.5 1.5 0 0 0 4 10.5h1.5" />
    </>
  ),
  check: <path d="m3 8.5 3.2 3L13 4.5" />,
  cross: <path d="m4 4 8 8M12 4l-8 8" />,
  alert: <path d="M8 2.5 14 13H2zM8 6.5v3M8 11.25v.01" />,
  circle: <circle cx="8" cy="8" r="5.5" />,
  question: (
    <>
      <circle cx="8" cy="8" r="5.75" />
      <path d="M6.3 6.3c.2-1 .9-1.5 1.8-1.5 1 0 1.8.700 1.8 1.6 0 1.3-1.8 1.4-1.8 2.7M8 11.2v.01" />
    </>
  ),
  up: <path d="m4 10 4-4 4 4" />,
  down: <path d="m4 6 4 4 4-4" />,
  right: <path d="m6 4 4 4-4 4" />,
  left: <path d="m10 4-4 4 4 4" />,
  external: <path d="M6.5 3.5h-3v9h9v-3M9.5 2.5h4v4M13 3 7.5 8.5" />,
  refresh: <path d="M13 8a5 5 0 1 1-1.6-3.7M13 2.5v2.5h-2.5" />,
  search: (
    <>
      <circle cx="7" cy="7" r="4.25" />
      <path d="m10.2 10.2 3.3 3.3" />
    </>
  ),
  filter: <path d="M2.5 3.5h11L9.5 8.5v4l-3 1v-5z" />,
  pause: <path d="M5.5 3.5v9M10.5 3.5v9" />,
  play: <path d="M4.5 3v10l8-5z" />,
  plus: <path d="M8 3v10M3 8h10" />,
  minus: <path d="M3 8h10" />,
  trash: <path d="M3 4.5h10M6.5 4.5V3h3v1.5M4.5 4.5l.5 8.5h6l.5-8.5" />,
  key: (
    <>
      <circle cx="5.5" cy="10.5" r="2.75" />
      <path d="m7.5 8.5 5.5-5.5M10.5 5.5l2 2" />
    </>
  ),
  signOut: <path d="M6.5 3h-3v10h3M7 8h7M11.5 5.5 14 8l-2.5 2.5" />,
  clock: (
    <>
      <circle cx="8" cy="8" r="5.75" />
      <path d="M8 5v3.2l2.2 1.3" />
    </>
  ),
  bolt: <path d="M9 2 4 9h3.5L7 14l5-7H8.5z" />,
} satisfies Record<string, ComponentChildren>;
