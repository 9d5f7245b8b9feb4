// Distinguishes errors of an unusable database file (locked, full, missing, closed) from errors of a statement.

import { markStoreUnavailable } from '../../errors/store-unavailable.ts';

/** Marks the error if the file cannot be used; returns it. */
export function markIfUnavailable(error: unknown): unknown {
  return isFileError(error) ? markStoreUnavailable(error) : error;
}

function isFileError(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  // The low byte is the primary code: https://www.sqlite.org/rescode.html
  if ('errcode' in error && typeof error.errcode === 'number')
    return FILE_ERROR_CODES.has(error.errcode & 0xff);
  return 'code' in error && error.code === 'ERR_INVALID_STATE';
}

/** BUSY, LOCKED, NOMEM, READONLY, IOERR, CORRUPT, FULL, CANTOPEN, PROTOCOL, NOTADB. */
const FILE_ERROR_CODES: ReadonlySet<number> = new Set([5, 6, 7, 8, 10, 11, 13, 14, 15, 26]);
