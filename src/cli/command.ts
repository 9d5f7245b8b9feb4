// The context of every command and its failure. Commands never call process.exit, read process.env or write to the
// console: only main.ts accesses the process.

import type { Command } from 'commander';
import type { Progress } from './progress.ts';

export type CliContext = {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly isStdinTerminal: boolean;
  out(text: string): void;
  err(text: string): void;
  readStdin(): Promise<string>;
  /** Silent without a terminal. */
  readonly progress: Progress;
};

/** Adds one command to the program. One file per command in cli/commands. */
export type RegisterCommand = (program: Command, context: CliContext) => void;

export const EXIT = { ok: 0, failure: 1, usage: 2 } as const;

/** A failure that is printed as one sentence without a stack trace. */
export class CliFailure extends Error {
  override readonly name = 'CliFailure';
  readonly exitCode: number;

  constructor(sentence: string, exitCode: number = EXIT.failure, cause?: unknown) {
    super(sentence, { cause });
    this.exitCode = exitCode;
  }
}
