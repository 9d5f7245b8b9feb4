// Validation and serialization by zod for a fastify instance. Without `NO_OWN_COMPILERS` fastify loads its JSON schema compilers
// (ajv, fast-json-stringify) before it can be given others: 4 MiB of resident memory that nothing uses.

import type { FastifyInstance, FastifyServerOptions } from 'fastify';
import { serializerCompiler, validatorCompiler } from 'fastify-type-provider-zod';

/** The `schemaController` of an instance that is given to `useZod`. */
export const NO_OWN_COMPILERS: NonNullable<FastifyServerOptions['schemaController']> = {
  compilersFactory: { buildValidator: noCompiler, buildSerializer: noCompiler },
};

export function useZod(app: FastifyInstance): void {
  app.setValidatorCompiler(validatorCompiler);
  app.setSerializerCompiler(serializerCompiler);
}

function noCompiler(): never {
  throw new Error('this instance validates and serializes by zod only');
}
