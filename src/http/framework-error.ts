// Converts errors of fastify and its validators into SpillwayErrors. Their texts stay internal: the caller gets the code
// and the field.

import { hasZodFastifySchemaValidationErrors } from 'fastify-type-provider-zod';
import { SpillwayError, toSpillwayError } from '../errors/spillway-error.ts';
import { reasonOf } from '../kernel/log.ts';

/** `limit`: the body limit of the route, a parameter of REQUEST_TOO_LARGE. */
export function fromFrameworkError(error: unknown, limit?: number): SpillwayError {
  if (error instanceof SpillwayError) return error;
  if (hasZodFastifySchemaValidationErrors(error)) {
    const [first] = error.validation;
    const field = (first?.instancePath ?? '').split('/').filter(Boolean).join('.');
    const message = `the request does not fit its schema: ${first?.message ?? 'unknown reason'}`;
    return new SpillwayError('INVALID_REQUEST', message, {
      params: field === '' ? {} : { field },
      cause: error,
    });
  }
  const status = statusOf(error);
  if (status === 413)
    return new SpillwayError('REQUEST_TOO_LARGE', 'the body is too large', {
      params: limit === undefined ? {} : { limit },
      cause: error,
    });
  if (status >= 400 && status < 500) {
    const message = `the request cannot be read: ${reasonOf(error)}`;
    return new SpillwayError('INVALID_REQUEST', message, { cause: error });
  }
  return toSpillwayError(error);
}

function statusOf(error: unknown): number {
  if (typeof error !== 'object' || error === null || !('statusCode' in error)) return 500;
  return typeof error.statusCode === 'number' ? error.statusCode : 500;
}
