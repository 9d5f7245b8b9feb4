// `model_info` and the prices that may stand in `litellm_params`: sizes of the model and US dollars per token.

import type { ImportContext } from '../import-context.ts';
import type { PeerMap, Read } from '../peer-map.ts';
import type { Placement } from '../place-deployments.ts';
import { MODEL_INFO } from './left-out-models.ts';
import type { ModelEntry } from './read-deployment.ts';

export function readModelInfo(
  entry: ModelEntry,
  placement: Placement,
  context: ImportContext,
): void {
  const { deployment, info, params } = entry;
  if (info) readSizes(info, deployment.model, context);
  readPrices([params, ...(info ? [info] : [])], placement.targetOf(deployment), context);
  info?.close(MODEL_INFO);
}

function readSizes(info: PeerMap, model: string, { draft, findings }: ImportContext): void {
  const output = info.number('max_output_tokens') ?? info.number('max_tokens');
  const input = info.number('max_input_tokens');
  if (info.get('max_tokens') && info.get('max_output_tokens')) {
    const node = info.get('max_tokens');
    if (node) findings.leftOut(node, 'max_output_tokens is more specific');
  }
  const size = (read: Read<number> | undefined, key: string): void => {
    if (!read) return;
    if (read.value < 1) return findings.leftOut(read.node, 'it is not a positive number');
    draft.setNamed('models', model, { [key]: Math.floor(read.value) });
    findings.taken(read.node, `models.${model}.${key}`);
  };
  size(output, 'maxOutputTokens');
  size(input, 'contextTokens');
}

const PRICES = [
  ['input_cost_per_token', 'inputUsd'],
  ['output_cost_per_token', 'outputUsd'],
  ['cache_read_input_token_cost', 'cacheReadUsd'],
  ['cache_creation_input_token_cost', 'cacheWriteUsd'],
  ['cache_creation_input_token_cost_above_1hr', 'cacheWrite1hUsd'],
  ['input_cost_per_audio_token', 'audioInputUsd'],
  ['output_cost_per_audio_token', 'audioOutputUsd'],
  ['input_cost_per_image_token', 'imageInputUsd'],
  ['output_cost_per_image_token', 'imageOutputUsd'],
] as const;

/** Dollars per token become dollars per million tokens. */
function readPrices(
  sources: readonly PeerMap[],
  target: string,
  { draft, findings }: ImportContext,
): void {
  const read = PRICES.flatMap(([key, to]) => {
    const [found, ...others] = sources.flatMap((source) => source.number(key) ?? []);
    for (const { node } of others) findings.leftOut(node, 'litellm_params states the same price');
    return found ? [{ to, found }] : [];
  });
  if (read.length === 0) return;
  const usd = Object.fromEntries(read.map(({ to, found }) => [to, perMillion(found.value)]));
  if (usd['inputUsd'] === undefined || usd['outputUsd'] === undefined) {
    for (const { found } of read)
      findings.leftOut(
        found.node,
        'a price needs both input_cost_per_token and output_cost_per_token',
      );
    return;
  }
  draft.setNamed('prices.models', target, usd);
  for (const { to, found } of read) findings.taken(found.node, `prices.models.${target}.${to}`);
}

function perMillion(usd: number): number {
  return Number((usd * 1_000_000).toPrecision(12));
}
