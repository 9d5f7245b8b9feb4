// Fetches the images that a job names by URL and turns them into data URLs, the one form that all providers accept. The
// egress rule applies; all images of a job share one deadline and one bound on bytes. A refused URL, a non-image answer
// or too much data fails the job as the caller's error; a host that does not answer is retried.

import { SpillwayError } from '../../errors/spillway-error.ts';
import type { Egress, EgressAnswer, EgressRequest } from '../../jobs/ports/egress.ts';
import type { Clock } from '../../kernel/clock.ts';

export const MAX_IMAGES_BYTES = 20 * 2 ** 20;
/** For all images of a job. */
export const IMAGES_TIMEOUT_MS = 30_000;
/** Statuses of an image's host after which a retry may succeed. */
const TEMPORARY: ReadonlySet<number> = new Set([408, 425, 429, 500, 502, 503, 504]);

/** `onBytes` is called for each received chunk, and ends the fetch by throwing. */
export type FetchImages = (
  urls: readonly string[],
  signal: AbortSignal,
  onBytes?: (bytes: number) => void,
) => Promise<readonly string[]>;

/** Data URLs stay as they are. */
export function createFetchImages(
  egress: Pick<Egress, 'send'>,
  clock: Pick<Clock, 'monotonic'>,
): FetchImages {
  return async (urls, signal, onBytes) => {
    const images: string[] = [];
    let leftBytes = MAX_IMAGES_BYTES;
    const deadlineAtMs = clock.monotonic() + IMAGES_TIMEOUT_MS;
    // Sequential, so that the size bound also bounds memory.
    for (const url of urls) {
      if (isData(url)) {
        images.push(url);
        continue;
      }
      const timeoutMs = Math.floor(deadlineAtMs - clock.monotonic());
      if (timeoutMs <= 0) throw unanswered('the images took too long');
      const bounds = { maxAnswerBytes: leftBytes, timeoutMs, ...(onBytes && { onBytes }) };
      const { contentType, body } = await fetchImage(egress, url, bounds, signal);
      leftBytes -= body.length;
      images.push(`data:${contentType};base64,${body.toString('base64')}`);
    }
    return images;
  };
}

export function isData(url: string): boolean {
  return /^data:/i.test(url);
}

async function fetchImage(
  egress: Pick<Egress, 'send'>,
  url: string,
  bounds: Pick<EgressRequest, 'maxAnswerBytes' | 'timeoutMs' | 'onBytes'>,
  signal: AbortSignal,
): Promise<{ readonly contentType: string; readonly body: Buffer }> {
  const headers = { accept: 'image/*', 'user-agent': 'Spillway' };
  const request = {
    url,
    method: 'GET',
    headers,
    ...bounds,
  } as const;
  const answer = await send(egress, request, signal);
  if (TEMPORARY.has(answer.status)) throw unanswered(`answered ${answer.status}`);
  if (answer.status !== 200) throw invalidImage(`an image's host answered ${answer.status}`);
  if (answer.isCut) throw tooLarge();
  const contentType = imageType(answer);
  if (contentType === undefined) throw invalidImage('an image URL does not lead to an image');
  return { contentType, body: answer.body };
}

async function send(
  egress: Pick<Egress, 'send'>,
  request: Parameters<Egress['send']>[0],
  signal: AbortSignal,
): Promise<EgressAnswer> {
  try {
    return await egress.send(request, signal);
  } catch (cause) {
    // The egress adapter does not know which field the URL came from.
    if (!(cause instanceof SpillwayError) || cause.code !== 'INVALID_REQUEST') throw cause;
    throw invalidImage(cause.message);
  }
}

function imageType({ contentType = '' }: EgressAnswer): string | undefined {
  return /^image\/[\w.+-]{1,50}/i.exec(contentType)?.[0].toLowerCase();
}

function invalidImage(message: string): SpillwayError {
  return new SpillwayError('INVALID_REQUEST', message, { params: { field: 'images' } });
}

function tooLarge(): SpillwayError {
  const params = { limit: MAX_IMAGES_BYTES };
  return new SpillwayError('REQUEST_TOO_LARGE', 'the images are too large', { params });
}

function unanswered(message: string): SpillwayError {
  return new SpillwayError('NETWORK_TIMEOUT', message, { params: { phase: 'connect' } });
}
