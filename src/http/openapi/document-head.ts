// The head of /openapi.json; the paths come from the routes' own schemas.

import type { FastifyDynamicSwaggerOptions } from '@fastify/swagger';
import { VERSION } from '../../kernel/version.ts';

export function openApiDocument(): NonNullable<FastifyDynamicSwaggerOptions['openapi']> {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Spillway',
      version: VERSION,
      description: 'A self-hosted AI capacity gateway.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    components: {
      securitySchemes: {
        key: { type: 'http', scheme: 'bearer', description: "An organisation's key." },
        admin: { type: 'http', scheme: 'bearer', description: 'The admin key.' },
      },
    },
    tags: [
      { name: 'AI', description: "Each provider's own wire format." },
      { name: 'Orchestrator', description: 'Requests routed to a category and answered.' },
      { name: 'Jobs', description: 'Queued work.' },
      { name: 'Builds', description: "Progress events of a product's long-running work." },
      { name: 'Usage', description: 'Tokens and costs.' },
      { name: 'Health', description: 'For load balancers and operators.' },
      { name: 'Admin', description: 'Organisations, keys, limits, logs.' },
    ],
  };
}
