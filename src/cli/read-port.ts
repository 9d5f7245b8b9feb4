// The parser of every `--port` option.

import { InvalidArgumentError } from 'commander';

const MAX_PORT = 65_535;

/** 0 selects a free port. */
export function readPort(text: string): number {
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port <= MAX_PORT) return port;
  throw new InvalidArgumentError(`A port is a whole number from 0 to ${MAX_PORT}.`);
}
