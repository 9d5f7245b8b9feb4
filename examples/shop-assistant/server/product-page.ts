// Long-running work of the shop: it writes the texts of a product page, step by step, and reports each step as a build event. A
// failure is reported as it is; Spillway stores it, and shows users a safe sentence.

import { randomUUID } from 'node:crypto';
import type { Spillway } from './spillway.ts';

const STEPS = [
  {
    type: 'page.outline',
    title: 'Outline',
    prompt: 'Outline a product page for a storm-proof tent.',
  },
  { type: 'page.texts', title: 'Texts', prompt: 'Write the texts of the page.' },
  { type: 'page.pictures', title: 'Captions', prompt: 'Write captions for three pictures.' },
  { type: 'page.check', title: 'Proof-reading', prompt: 'Proof-read the page.' },
];

/** Returns the id of the build immediately; the work continues. */
export function buildProductPage(spillway: Spillway, model: string): string {
  const buildId = `page-${randomUUID()}`;
  void work(spillway, model, buildId).catch((error: unknown) =>
    report(spillway, buildId, {
      type: 'page.failed',
      title: 'Stopped',
      finished: true,
      error: String(error),
    }),
  );
  return buildId;
}

async function work(spillway: Spillway, model: string, buildId: string): Promise<void> {
  for (const [index, { type, title, prompt }] of STEPS.entries()) {
    await report(spillway, buildId, {
      type: `${type}.started`,
      title,
      overallProgress: percent(index),
    });
    const answer = await spillway.call('/v1/messages', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        model,
        max_tokens: 300,
        messages: [{ role: 'user', content: prompt }],
      }),
    });
    if (answer.ok) continue;
    // The error as Spillway answered it keeps its code.
    const { error } = (await answer.json()) as { readonly error: unknown };
    const failed = { type: 'page.failed', title: `${title} failed`, finished: true, error };
    return report(spillway, buildId, { ...failed, overallProgress: percent(index) });
  }
  const done = {
    type: 'page.done',
    title: 'The page is ready',
    finished: true,
    overallProgress: 100,
  };
  await report(spillway, buildId, done);
}

function percent(step: number): number {
  return Math.round((step / STEPS.length) * 100);
}

/** Reporting never breaks the work. */
async function report(spillway: Spillway, buildId: string, event: object): Promise<void> {
  const answer = await spillway
    .call(`/v1/builds/${buildId}/events`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(event),
    })
    .catch(() => undefined);
  if (answer?.ok !== true) console.error(`An event of ${buildId} was not stored.`);
}
