// Completes the document that fastify generates from the routes: adds the AI endpoints, which fastify does not know, and
// the failures of every operation.

import { aiPathItems } from './ai-paths.ts';
import { errorComponents, ownErrors } from './error-responses.ts';

type Json = Record<string, unknown>;

/** The parts of a document that are completed. */
type Generated = {
  readonly components?: object;
  readonly paths?: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
};

type Operation = {
  readonly security?: readonly object[];
  readonly responses?: object;
};

/** `servesCalls`: false for a role that does not serve the AI endpoints. */
export function completeDocument(generated: Generated, servesCalls: boolean): Json {
  const own = Object.entries(generated.paths ?? {}).map(([path, item]) => [path, withErrors(item)]);
  return {
    ...generated,
    components: { ...generated.components, ...errorComponents() },
    paths: { ...(servesCalls ? aiPathItems() : {}), ...Object.fromEntries(own) },
  };
}

function withErrors(item: Readonly<Record<string, Operation>>): Json {
  return Object.fromEntries(
    Object.entries(item).map(([method, operation]) => [
      method,
      completeOperation(method, operation),
    ]),
  );
}

/** Operations without a credential, such as health checks, have no error body. */
function completeOperation(method: string, operation: Operation): Operation {
  const { security, responses } = operation;
  if (!security) return operation;
  const takesKey = security.some((scheme) => 'key' in scheme);
  return {
    ...operation,
    responses: { ...responses, ...ownErrors({ isWrite: method !== 'get', takesKey }) },
  };
}
