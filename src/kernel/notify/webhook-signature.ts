// Signs a webhook by Standard Webhooks (version 1): HMAC-SHA256 over id, timestamp and body, with a secret that the
// receiver knows. Every delivery of a message has the same id, so that the receiver can drop duplicates, and its own
// timestamp, so that an old delivery cannot be replayed. Pure.

import { createHmac } from 'node:crypto';

export type SignedHeaders = {
  readonly 'webhook-id': string;
  readonly 'webhook-timestamp': string;
  readonly 'webhook-signature': string;
};

export function signWebhook(
  secret: string,
  message: { readonly id: string; readonly sentAt: number; readonly body: string },
): SignedHeaders {
  const { id, sentAt, body } = message;
  const timestamp = String(Math.floor(sentAt / 1000));
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${signature}`,
  };
}
