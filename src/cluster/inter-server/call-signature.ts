// Signs calls between servers and verifies them, in the manner of RFC 9421 (HTTP Message Signatures) with HMAC-SHA-256. The
// list of signed components is fixed: a signature over fewer of them is refused. During a rotation two secrets verify and
// the first one signs. Pure.

import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

/** A server in one incarnation: a call that was recorded before a restart is not valid for the process after it. */
export type ServerName = { readonly id: string; readonly incarnation: string };

export type InterServerCall = {
  readonly method: string;
  readonly path: string;
  /** With its question mark; empty without a query. */
  readonly query: string;
  /** See `contentDigest`. */
  readonly digest: string;
  readonly source: string;
  readonly target: ServerName;
  readonly requestId: string;
  /** The authenticated caller, encoded. */
  readonly principal: string;
};

export type SignatureTerms = {
  /** Epoch seconds. */
  readonly created: number;
  readonly nonce: string;
};

export type SignatureHeaders = { readonly input: string; readonly signature: string };

export type CallRefusal = 'malformed' | 'bad_signature' | 'wrong_target' | 'wrong_time';

/** The clocks of two servers may differ, and a call may be under way, for this long. */
export const MAX_AGE_SECONDS = 60;

const LABEL = 'spillway';
const COMPONENTS = [
  '"@method"',
  '"@path"',
  '"@query"',
  '"content-digest"',
  '"x-spillway-source"',
  '"x-spillway-target"',
  '"x-spillway-hop"',
  '"x-spillway-request"',
  '"x-spillway-principal"',
].join(' ');
/** A call is forwarded once. */
const HOP = '1';
const INPUT = new RegExp(
  `^${LABEL}=(\\(${COMPONENTS}\\);created=(\\d{1,12});nonce="([A-Za-z0-9_-]{16,64})";alg="hmac-sha256")$`,
);
const SIGNATURE = new RegExp(`^${LABEL}=:([A-Za-z0-9+/]{43}=):$`);

/** The value of a `content-digest` header. */
export function contentDigest(body: Buffer): string {
  return `sha-256=:${createHash('sha256').update(body).digest('base64')}:`;
}

export function targetText({ id, incarnation }: ServerName): string {
  return `${id};incarnation=${incarnation}`;
}

export function signCall(
  call: InterServerCall,
  terms: SignatureTerms,
  secret: string,
): SignatureHeaders {
  const { created, nonce } = terms;
  const parameters = `(${COMPONENTS});created=${created};nonce="${nonce}";alg="hmac-sha256"`;
  const mac = macOf(signatureBase(call, parameters), secret);
  return {
    input: `${LABEL}=${parameters}`,
    signature: `${LABEL}=:${mac.toString('base64')}:`,
  };
}

/** True if the header claims to be a server's signature; `verifyCall` decides whether it is valid. */
export function claimsServer(input: string | string[] | undefined): input is string {
  return typeof input === 'string' && input.startsWith(`${LABEL}=`);
}

/**
 * `call` is what arrived; `self` is the server that received it. The caller checks the nonce, and compares the digest with
 * the body once it has it.
 */
export function verifyCall(
  call: Omit<InterServerCall, 'target'> & { readonly target: string },
  headers: SignatureHeaders,
  verifier: {
    readonly secrets: readonly string[];
    readonly self: ServerName;
    readonly nowSeconds: number;
  },
): SignatureTerms | CallRefusal {
  const [, parameters, created, nonce] = INPUT.exec(headers.input) ?? [];
  const [, encoded] = SIGNATURE.exec(headers.signature) ?? [];
  if (parameters === undefined || nonce === undefined || encoded === undefined) return 'malformed';
  const given = Buffer.from(encoded, 'base64');
  const base = signatureBase(call, parameters);
  if (!verifier.secrets.some((secret) => timingSafeEqual(macOf(base, secret), given)))
    return 'bad_signature';
  if (call.target !== targetText(verifier.self)) return 'wrong_target';
  const terms = { created: Number(created), nonce };
  if (Math.abs(verifier.nowSeconds - terms.created) > MAX_AGE_SECONDS) return 'wrong_time';
  return terms;
}

function signatureBase(
  call: Omit<InterServerCall, 'target'> & { readonly target: string | ServerName },
  parameters: string,
): string {
  const target = typeof call.target === 'string' ? call.target : targetText(call.target);
  return [
    `"@method": ${call.method}`,
    `"@path": ${call.path}`,
    `"@query": ${call.query === '' ? '?' : call.query}`,
    `"content-digest": ${call.digest}`,
    `"x-spillway-source": ${call.source}`,
    `"x-spillway-target": ${target}`,
    `"x-spillway-hop": ${HOP}`,
    `"x-spillway-request": ${call.requestId}`,
    `"x-spillway-principal": ${call.principal}`,
    `"@signature-params": ${parameters}`,
  ].join('\n');
}

function macOf(base: string, secret: string): Buffer {
  return createHmac('sha256', secret).update(base).digest();
}
