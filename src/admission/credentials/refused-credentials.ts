// Provider credentials that the provider refuses. A refused key is an operator's problem that no repeat mends, so for a
// while calls with it fail without reaching the provider; then one call is the probe, and the others still fail until its
// outcome (credential-refusal.ts). A 401 refuses the key, and so does Gemini's 400 with the reason API_KEY_INVALID. A 403 may
// concern one model, or an object that the request names, such as a video that is not public. Callers can provoke it, and
// several can do so together: it is remembered for that model and the organisation that met it, and never for another one. So
// is a 401 that says that a restricted key lacks the scope of the operation, and a 400 or 401 with a code that refuses a
// permission. A model that is really forbidden then costs one call per organisation and minute. Servers share what they learn
// (share-credentials.ts); a restart with another key begins anew.

import type { SpillwayError } from '../../errors/spillway-error.ts';
import type { Clock } from '../../kernel/clock.ts';
import { CredentialRefusal } from './credential-refusal.ts';

export type CredentialUse = {
  readonly provider: string;
  readonly account: string;
  readonly model: string;
};

/** Without a model it concerns every model. */
export type CredentialChange = Pick<CredentialUse, 'provider' | 'account'> & {
  readonly model?: string | undefined;
  readonly isRefused: boolean;
};

export type RefusedCredentialsOptions = {
  readonly clock: Pick<Clock, 'monotonic'>;
  /** With 0 nothing is remembered. */
  readonly refusedMs: number;
  /** Called for each change that this server has learnt from its own calls. */
  readonly onChange?: (change: CredentialChange) => void;
};

const REFUSALS: ReadonlySet<unknown> = new Set([400, 401, 403]);
/** Callers choose model names, so the memory is bounded. */
const MAX_REMEMBERED = 1000;
/** The server that met the refusal probes first, and the others learn the outcome before their own time is over. */
const LEARNT_MARGIN_MS = 5000;

export class RefusedCredentials {
  readonly #options: RefusedCredentialsOptions;
  /** By account, by account and model, and by account, model and organisation. */
  readonly #refusals = new Map<string, CredentialRefusal>();

  constructor(options: RefusedCredentialsOptions) {
    this.#options = options;
  }

  /** Whether the call must fail. When the time is over the first call passes as the probe. */
  refuses(use: CredentialUse, organizationId = '', callId = ''): boolean {
    if (this.#refusals.size === 0) return false;
    const now = this.#options.clock.monotonic();
    return this.#of(use, organizationId).some((each) => each.refuses(organizationId, callId, now));
  }

  /** Whether calls of all organisations fail now. Takes no probe. */
  isRefused(use: CredentialUse): boolean {
    if (this.#refusals.size === 0) return false;
    const now = this.#options.clock.monotonic();
    return this.#of(use, '').some((refusal) => refusal.isActive(now));
  }

  /** The call has ended: if it was a probe without an outcome, another call may be the next one. */
  release(callId: string): void {
    if (this.#refusals.size === 0) return;
    const now = this.#options.clock.monotonic();
    for (const refusal of this.#refusals.values()) refusal.release(callId, now);
  }

  /** Learns from typed refusals only: the sentence of any other failure may quote the caller. */
  failed(
    use: CredentialUse,
    { code, lesson, cause }: SpillwayError,
    organizationId?: string,
  ): void {
    const { refusedMs, onChange } = this.#options;
    if (refusedMs === 0 || code !== 'AUTH_FAILED' || lesson?.code !== 'AUTH_FAILED') return;
    const status = statusOf(cause);
    if (!REFUSALS.has(status)) return;
    const { provider, account } = use;
    const model = status === 403 || lesson.isScopeBound ? use.model : undefined;
    if (model !== undefined && organizationId !== undefined)
      return this.#remember(ownOf(use, organizationId), refusedMs);
    this.#remember(keyOf({ provider, account, model }), refusedMs);
    onChange?.({ provider, account, model, isRefused: true });
  }

  /** The provider answered a call with this credential. */
  accepted(use: CredentialUse, organizationId?: string): void {
    if (this.#refusals.size === 0) return;
    if (organizationId !== undefined) this.#refusals.delete(ownOf(use, organizationId));
    const { provider, account, model } = use;
    const { onChange } = this.#options;
    if (this.#refusals.delete(accountOf(use))) onChange?.({ provider, account, isRefused: false });
    if (this.#refusals.delete(modelOf(use)))
      onChange?.({ provider, account, model, isRefused: false });
  }

  /** Another server has learnt this about the same key. */
  learn({ isRefused, ...scope }: CredentialChange): void {
    const { refusedMs } = this.#options;
    if (!isRefused) this.#refusals.delete(keyOf(scope));
    else if (refusedMs > 0) this.#remember(keyOf(scope), refusedMs + LEARNT_MARGIN_MS);
  }

  /** The accounts with a key that is refused for every model. */
  refusedAccounts(): readonly Pick<CredentialUse, 'provider' | 'account'>[] {
    return [...this.#refusals.keys()].flatMap((key) => {
      const [provider = '', account = '', model] = key.split('\n');
      return model === undefined ? [{ provider, account }] : [];
    });
  }

  #remember(key: string, forMs: number): void {
    const { clock, refusedMs } = this.#options;
    if (this.#refusals.size >= MAX_REMEMBERED) this.#refusals.clear();
    this.#refusals.set(key, new CredentialRefusal(refusedMs, clock.monotonic() + forMs));
  }

  #of(use: CredentialUse, organizationId: string): readonly CredentialRefusal[] {
    const keys = [accountOf(use), modelOf(use), ownOf(use, organizationId)];
    return keys.flatMap((key) => this.#refusals.get(key) ?? []);
  }
}

function accountOf({ provider, account }: CredentialUse): string {
  return keyOf({ provider, account });
}

function modelOf(use: CredentialUse): string {
  return keyOf(use);
}

function ownOf(use: CredentialUse, organizationId: string): string {
  return `${modelOf(use)}\n${organizationId}`;
}

function keyOf({ provider, account, model }: Omit<CredentialChange, 'isRefused'>): string {
  return model === undefined ? `${provider}\n${account}` : `${provider}\n${account}\n${model}`;
}

function statusOf(cause: unknown): unknown {
  return typeof cause === 'object' && cause !== null && 'status' in cause
    ? cause.status
    : undefined;
}
