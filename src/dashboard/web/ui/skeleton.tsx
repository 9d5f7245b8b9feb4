// The shape of content that is loading. Hidden from screen readers; its container is `aria-busy`.

import './skeleton.css';

export function Skeleton({
  width,
  height = 12,
}: {
  readonly width?: string;
  readonly height?: number;
}) {
  return (
    <span
      class="skeleton"
      aria-hidden="true"
      style={{ width: width ?? '60%', height: `${height}px` }}
    />
  );
}
