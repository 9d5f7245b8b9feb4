// Draws the charts of a page one after the other, one per frame, so that an update of several charts is several short tasks
// instead of a long one. A chart outside of the window is drawn when it comes into view; a hidden page draws nothing, and
// later only the latest data.

export type Turn = {
  /** Draws in a later frame, once for several calls. */
  readonly ask: () => void;
  readonly end: () => void;
};

const waiting = new Set<() => void>();
/** Drawn a little before it is seen. */
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
