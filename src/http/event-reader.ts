// The language and time zone in which a caller reads events: from the request, else from the organisation.

import type { FastifyRequest } from 'fastify';
import type { Principal } from '../admission/principal.ts';
import { pickLocale, pickTimeZone } from '../errors/locale.ts';
import type { EventReader } from '../events/translate-error.ts';

export function readerOf(request: FastifyRequest, principal: Principal, now: number): EventReader {
  return {
    locale: pickLocale(request.headers['accept-language'], principal.locale),
    timeZone: pickTimeZone(request.headers['x-time-zone'], principal.timeZone),
    now,
    overrides: principal.messages,
  };
}
