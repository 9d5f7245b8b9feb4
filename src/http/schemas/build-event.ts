// The JSON views of build events for /openapi.json; events/build-event-view.ts builds them. The classic names are present
// with `fields=classic`.

import { z } from 'zod';
import { ERROR_CODES } from '../../errors/codes.ts';
import { moment } from './admin.ts';

export const buildEventView = z.looseObject({
  id: z.int(),
  buildId: z.string(),
  userId: z.string().nullable(),
  type: z.string(),
  data: z.unknown().optional(),
  createdAt: z.union([moment, z.iso.datetime()]).describe('ISO 8601 with `fields=classic`'),
  userVisible: z.boolean(),
  phase: z.string().nullable(),
  title: z.string().nullable(),
  description: z.string().nullable(),
  overallProgress: z.number().nullable(),
  finished: z.boolean(),
  previewUrl: z.string().nullable(),
  durationSeconds: z.number().nullable(),
  error: z
    .looseObject({ code: z.enum(ERROR_CODES), params: z.looseObject({}), message: z.string() })
    .nullable(),
  error_message: z.string().nullable(),
  eventType: z.string().optional(),
  eventData: z.unknown().optional(),
  eventPhase: z.string().nullable().optional(),
  eventTitle: z.string().nullable().optional(),
  eventDescription: z.string().nullable().optional(),
});

export const operatorEventView = buildEventView.extend({
  organizationId: z.string().nullable(),
  internalMessage: z.string().nullable(),
  userErrorMessage: z.string().nullable(),
});
