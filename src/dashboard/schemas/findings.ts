// The schemas of findings and of the overall state.

import { z } from 'zod';
import { moment } from '../../http/schemas/admin.ts';
import type { Finding, OverallState } from '../api/findings.ts';

const page = z.enum(['overview', 'capacity', 'jobs', 'money', 'cluster', 'logs', 'try']);
const status = z.enum(['good', 'degraded', 'bad', 'unknown']);

export const finding: z.ZodType<Finding> = z.object({
  id: z.string(),
  kind: z.enum([
    'limit',
    'circuit',
    'headroom',
    'credentials',
    'queue',
    'dead-letters',
    'budget',
    'server',
    'dependency',
    'alert',
    'errors',
  ]),
  severity: z.enum(['degraded', 'bad']),
  message: z.string(),
  action: z.string(),
  since: moment.nullable(),
  until: moment.nullable(),
  page,
  pageQuery: z.string(),
});

export const overallState: z.ZodType<OverallState> = z.object({
  status,
  sentence: z.string(),
  parts: z.array(z.object({ text: z.string(), until: moment.nullable() })).readonly(),
  pages: z.record(page, status),
});
