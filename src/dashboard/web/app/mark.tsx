// The mark of Spillway: water over a weir.

export function Mark({ size = 24 }: { readonly size?: number }) {
  return (
    <svg
      class="mark"
      width={size}
      height={size}
      viewBox="0 0 32 32"
      aria-hidden="true"
      focusable="false"
    >
      <rect width="32" height="32" rx="8" class="mark-ground" />
      <path
        class="mark-water"
        d="M6 11c3.5 0 3.5 3 7 3s3.5-3 7-3 3.5 3 6 3M6 19c3.5 0 3.5 3 7 3s3.5-3 7-3 3.5 3 6 3"
      />
    </svg>
  );
}
