// Is it the file that cannot be used just now (locked, full, gone, closed), or is the statement wrong?

import { markStoreUnavailable } from '../../errors/store-unavailable.ts';

/** What was thrown, marked when it is the file's fault. */
export function marked(error: unknown): unknown {
  return isOfFile(error) ? markStoreUnavailable(error) : error;
}

function isOfFile(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  // The low byte is the primary code: https://www.sqlite.org/rescode.html
  if ('errcode' in error && typeof error.errcode === 'number')
    return OF_THE_FILE.has(error.errcode & 0xff);
  return 'code' in error && error.code === 'ERR_INVALID_STATE';
}

/** BUSY, LOCKED, NOMEM, READONLY, IOERR, CORRUPT, FULL, CANTOPEN, PROTOCOL, NOTADB. */
const OF_THE_FILE: ReadonlySet<number> = new Set([5, 6, 7, 8, 10, 11, 13, 14, 15, 26]);
