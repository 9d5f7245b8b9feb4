// The receiver of a job's callback verifies the signature (Standard Webhooks) before it trusts the body, and refuses old ones,
// which could be replayed.

import { createHmac, timingSafeEqual } from 'node:crypto';

const MAX_AGE_SECONDS = 300;

type WebhookHeaders = Readonly<
  Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string>
>;

function isGenuine(headers: WebhookHeaders, body: string, secret: string): boolean {
  const timestamp = headers['webhook-timestamp'];
  if (Math.abs(Date.now() / 1000 - Number(timestamp)) > MAX_AGE_SECONDS) return false;
  const expected = sign(headers['webhook-id'], timestamp, body, secret);
  return headers['webhook-signature'].split(' ').some((each) => isEqual(each, `v1,${expected}`));
}

function sign(id: string, timestamp: string, body: string, secret: string): string {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  return createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
}

function isEqual(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}

// A callback as Spillway sends it.
const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const body = JSON.stringify({ type: 'job.succeeded', data: { id: 'order-4711' } });
const timestamp = String(Math.floor(Date.now() / 1000));
const headers = {
  'webhook-id': 'evt_1',
  'webhook-timestamp': timestamp,
  'webhook-signature': `v1,${sign('evt_1', timestamp, body, secret)}`,
};
console.log('genuine:', isGenuine(headers, body, secret));
console.log('changed body:', isGenuine(headers, body.replace('4711', '4712'), secret));
console.log('old:', isGenuine({ ...headers, 'webhook-timestamp': '1' }, body, secret));
