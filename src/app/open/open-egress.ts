// Opens the egress to addresses that callers name, for job callbacks and images. Dispatchers and workers deliver callbacks;
// without either, callbacks wait in the store.

import { randomBytes } from 'node:crypto';
import type { OrganizationStore } from '../../admission/organization-store.ts';
import type { Config } from '../../config/config.ts';
import { type CallbackOwner, startCallbacks } from '../../jobs/callbacks/deliver-callback.ts';
import type { Egress } from '../../jobs/ports/egress.ts';
import type { Clock } from '../../kernel/clock.ts';
import { createEgressRule, type EgressRule } from '../../kernel/egress-rule.ts';
import type { Lifecycle } from '../../kernel/lifecycle.ts';
import type { Log } from '../../kernel/log.ts';
import type { JobRoles } from '../jobs/open-jobs.ts';
import type { Store } from './open-store.ts';

const CONNECT_TIMEOUT_MS = 5000;
const SECRET_BYTES = 32;

/** undici is loaded for the first request: most installations never send one, and it takes 4 MiB. */
export function openEgress(config: Config, lifecycle: Lifecycle): Egress {
  const rule = createEgressRule(config.egress.allowHosts);
  let opening: Promise<Egress> | undefined;
  const close = async () => (await opening)?.close();
  lifecycle.onClose('egress', close);
  return {
    async send(request, signal) {
      opening ??= openGuardedFetch(rule);
      return (await opening).send(request, signal);
    },
    close,
  };
}

async function openGuardedFetch(rule: EgressRule): Promise<Egress> {
  const { createGuardedFetch } = await import('../../adapters/undici/guarded-fetch.ts');
  return createGuardedFetch({ rule, connectTimeoutMs: CONNECT_TIMEOUT_MS });
}

export type CallbackContext = {
  readonly store: Store;
  readonly egress: Egress;
  readonly clock: Clock;
  readonly log: Log;
  readonly lifecycle: Lifecycle;
};

export function openCallbacks(context: CallbackContext, roles: JobRoles): void {
  if (!roles.isDispatcher && roles.workedProviders.length === 0) return;
  const { store, egress, clock, log, lifecycle } = context;
  const callbacks = startCallbacks({
    store: store.jobs,
    history: store.history,
    queue: store.queue,
    egress,
    ownerOf: (id) => ownerOf(store.organizations, id, clock),
    clock,
    log,
  });
  lifecycle.onClose('callbacks', () => callbacks.close());
}

/** Every callback is signed: an organisation without a secret gets one, which it can rotate and read. */
async function ownerOf(
  organizations: OrganizationStore,
  id: string,
  clock: Clock,
): Promise<CallbackOwner | undefined> {
  const organization = await organizations.find(id);
  if (!organization) return undefined;
  const { messages, webhookSecret } = organization;
  if (webhookSecret !== undefined) return { secret: webhookSecret, messages };
  const secret = `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;
  await organizations.update(id, { webhookSecret: secret }, clock.now());
  return { secret, messages };
}
