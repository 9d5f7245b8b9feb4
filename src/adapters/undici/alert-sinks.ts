// Sinks of alerts over HTTP: a webhook signed by Standard Webhooks, and a webhook of Slack's shape. Their URLs come
// from the operator's configuration, so private addresses are allowed. Any status other than 2xx rejects; redirects are
// not followed.

import type { AlertMessage, AlertSink } from '../../alerts/alert-sink.ts';
import type { Clock } from '../../kernel/clock.ts';
import { signWebhook } from '../../kernel/notify/webhook-signature.ts';

const TIMEOUT_MS = 10_000;

export type WebhookSinkParts = {
  readonly url: string;
  readonly secret: string;
  readonly clock: Pick<Clock, 'now'>;
  readonly runbookOf: (name: AlertMessage['alert']['name']) => string;
};

export function createWebhookSink(parts: WebhookSinkParts): AlertSink {
  return {
    async send(message, signal) {
      const sentAt = parts.clock.now();
      const body = JSON.stringify(payloadOf(message, parts));
      const signed = signWebhook(parts.secret, { id: message.id, sentAt, body });
      await post(parts.url, body, signed, signal);
    },
  };
}

export function createSlackSink({ url }: { readonly url: string }): AlertSink {
  return {
    async send({ phase, text, alert }, signal) {
      const mark =
        phase === 'ended' ? 'Resolved' : alert.severity === 'critical' ? 'Critical' : 'Warning';
      const shown = `*${mark}: ${escapeMarkup(alert.name)}*\n${escapeMarkup(text)}`;
      await post(url, JSON.stringify({ text: shown }), {}, signal);
    },
  };
}

function payloadOf({ phase, text, alert }: AlertMessage, { runbookOf }: WebhookSinkParts): object {
  const { id, name, metric, subject, severity, value, threshold, startedAt, serverId } = alert;
  const endedAt = alert.endedAt ?? null;
  return {
    type: `alert.${phase}`,
    timestamp: new Date(phase === 'ended' ? (alert.endedAt ?? startedAt) : startedAt).toISOString(),
    data: {
      id,
      name,
      metric,
      ...(subject === undefined ? {} : { subject }),
      state: phase === 'ended' ? 'ended' : 'firing',
      severity,
      message: text,
      value,
      threshold,
      startedAt,
      endedAt: phase === 'ended' ? endedAt : null,
      serverId,
      runbook: runbookOf(name),
    },
  };
}

/** Slack interprets these three characters, and user names may contain them. */
function escapeMarkup(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

async function post(
  url: string,
  body: string,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<void> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'user-agent': 'Spillway', ...headers },
    body,
    redirect: 'error',
    signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
  });
  await response.body?.cancel();
  if (!response.ok) throw new Error(`the webhook answered ${response.status}`);
}
