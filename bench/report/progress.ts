// One progress line on a terminal's stderr, overwritten in place; silent without a terminal.

export type Progress = {
  say(text: string): void;
  clear(): void;
};

const CLEAR_LINE = '\r\u001b[2K';

export function createProgress(stream: NodeJS.WriteStream): Progress {
  if (!stream.isTTY) return { say() {}, clear() {} };
  return {
    say(text) {
      stream.write(`${CLEAR_LINE}${text}`.slice(0, stream.columns + CLEAR_LINE.length - 1));
    },
    clear() {
      stream.write(CLEAR_LINE);
    },
  };
}
