// Draws the charts of a page one after the other, one per frame, so that an update of several charts is several short
// tasks instead of one long one. A chart outside the viewport is drawn when it comes into view; a hidden page draws
// nothing, and only the latest data when it is shown again.

export type Turn = {
  /** Draws in a later frame, once for several calls. */
  readonly ask: () => void;
  readonly end: () => void;
};

const waiting = new Set<() => void>();
/** Draws a chart shortly before it comes into view. */
const MARGIN = '200px';

export function drawInTurn(element: Element, draw: () => void): Turn {
  let isVisible = true;
  let isOutdated = false;
  const run = (): void => {
    isOutdated = false;
    draw();
  };
  const ask = (): void => {
    isOutdated = true;
    if (isVisible) put(run);
  };
  const watch = new IntersectionObserver(
    (entries) => {
      isVisible = entries.at(-1)?.isIntersecting ?? true;
      if (isVisible && isOutdated) put(run);
    },
    { rootMargin: MARGIN },
  );
  watch.observe(element);
  return {
    ask,
    end() {
      watch.disconnect();
      waiting.delete(run);
    },
  };
}

function put(run: () => void): void {
  if (waiting.size === 0) requestAnimationFrame(drawNext);
  waiting.add(run);
}

function drawNext(): void {
  const [next] = waiting;
  if (!next) return;
  waiting.delete(next);
  if (waiting.size > 0) requestAnimationFrame(drawNext);
  next();
}
