// The progress of long work: one line on a terminal's stderr, overwritten in place, with a bar where the number of steps is
// known. Nothing is written without a terminal, and nothing for machines (`--json`).

export type Progress = {
  /** `done` of `total` steps; without them the line has no bar. */
  show(text: string, done?: number, total?: number): void;
  /** Removes the line. */
  clear(): void;
};

/** The part of a terminal's stream that is used. */
type Terminal = {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  write(text: string): unknown;
};

export const silentProgress: Progress = Object.freeze({ show: () => {}, clear: () => {} });

const CLEAR_LINE = '\r\u001b[2K';
const BAR_WIDTH = 20;
const DEFAULT_COLUMNS = 80;

export function createProgress(terminal: Terminal): Progress {
  if (terminal.isTTY !== true) return silentProgress;
  return {
    show(text, done, total) {
      const bar = done === undefined || total === undefined ? '' : `${barOf(done, total)} `;
      // A longer line would wrap, and only its last row could be removed.
      const line = `${bar}${text}`.slice(0, (terminal.columns ?? DEFAULT_COLUMNS) - 1);
      terminal.write(CLEAR_LINE + line);
    },
    clear: () => void terminal.write(CLEAR_LINE),
  };
}

function barOf(done: number, total: number): string {
  const filled = Math.round((Math.min(done, total) / Math.max(total, 1)) * BAR_WIDTH);
  return `[${'#'.repeat(filled)}${'-'.repeat(BAR_WIDTH - filled)}] ${done}/${total}`;
}
