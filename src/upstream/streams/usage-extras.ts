// The parts of a provider's usage that have prices of their own: audio, image and video tokens, uses of the provider's tools, and
// the processing tier. Most answers report none, and then nothing is allocated. Counts are cumulative: the largest wins.

import type { MeteredUsage, Usage, UsageTiers } from '../../kernel/usage.ts';
import { countOf, type JsonRecord, nested } from './usage-fields.ts';

export type RawExtras = {
  audioInput: number;
  imageInput: number;
  videoInput: number;
  /** Read by the provider's tools, beside the prompt. */
  audioTool: number;
  imageTool: number;
  videoTool: number;
  audioCache: number;
  imageCache: number;
  audioOutput: number;
  imageOutput: number;
  toolUses: Record<string, number> | undefined;
  /** Uses of tools that the answer shows; they count only while the report of the uses is missing. */
  shownUses: Record<string, number> | undefined;
  tiers: UsageTiers | undefined;
  /** The answer of Gemini contains an image. */
  showsImage: boolean;
};

/** The raw counts of an answer, as far as this module changes them. */
type Counts = {
  extras: RawExtras | undefined;
  isStandardTier: boolean;
  hasOutputDetails: boolean;
};

type MediaName = Exclude<keyof RawExtras, 'toolUses' | 'shownUses' | 'tiers' | 'showsImage'>;

/** Shared by all answers at the standard tier, which are the majority. */
export const STANDARD: UsageTiers = Object.freeze({ service_tier: 'standard' });

export function addTier(counts: Counts, field: string, value: unknown): void {
  if (typeof value !== 'string' || value === '') return;
  const tier = value.toLowerCase();
  if (field === 'service_tier' && (tier === 'standard' || tier === 'default')) {
    counts.isStandardTier = true;
    return;
  }
  const extras = extrasOf(counts);
  extras.tiers = { ...extras.tiers, [field]: tier };
}

/**
 * Gemini's `serviceTier` (`FLEX`, `SERVICE_TIER_FLEX`), or the `trafficType` of Vertex (`ON_DEMAND_FLEX`). Any other value,
 * such as provisioned throughput, says nothing about a tier: the requested one is then charged.
 */
export function addGeminiTier(counts: Counts, value: unknown): void {
  if (typeof value !== 'string') return;
  const name = value.toLowerCase().replace(/^(?:service_tier|on_demand)_/, '');
  if (GEMINI_TIERS.has(name))
    addTier(counts, 'service_tier', name === 'on_demand' ? 'standard' : name);
}

const GEMINI_TIERS: ReadonlySet<string> = new Set([
  'on_demand',
  'standard',
  'flex',
  'priority',
  'batch',
]);

/** Anthropic's `server_tool_use`: `{ web_search_requests: 2 }`. */
export function addToolUses(counts: Counts, uses: JsonRecord): void {
  for (const [name, value] of Object.entries(uses)) {
    if (name.endsWith(USES))
      raiseToolUses(counts, name.slice(0, -USES.length), countOf(value) ?? 0);
  }
}

export function raiseToolUses(counts: Counts, kind: string, uses: number): void {
  if (uses === 0) return;
  const extras = extrasOf(counts);
  extras.toolUses = { ...extras.toolUses, [kind]: Math.max(extras.toolUses?.[kind] ?? 0, uses) };
}

/**
 * OpenAI's `tool_usage`, beside the usage: `{ web_search: { num_requests: 2 } }` counts the searches that are charged, which the
 * answer need not show one by one.
 */
export function addToolUsage(counts: Counts, usage: JsonRecord): void {
  const searches = countOf(nested(usage['web_search'])['num_requests']);
  const shown = counts.extras?.toolUses?.['web_search'] ?? 0;
  if (searches === undefined || searches === shown) return;
  const extras = extrasOf(counts);
  extras.toolUses = { ...extras.toolUses, web_search: searches };
}

/** The answer shows one more use. */
export function showToolUse(counts: Counts, kind: string): void {
  const extras = extrasOf(counts);
  extras.shownUses ??= {};
  const uses = extras.shownUses[kind];
  if (uses !== undefined || Object.keys(extras.shownUses).length < MAX_SHOWN_KINDS)
    extras.shownUses[kind] = (uses ?? 0) + 1;
}

/** More kinds than a provider has tools. */
const MAX_SHOWN_KINDS = 32;

export function hasToolUses(extras: RawExtras | undefined): boolean {
  return extras !== undefined && (extras.toolUses ?? extras.shownUses) !== undefined;
}

export function addOpenaiDetails(counts: Counts, input: JsonRecord, output: JsonRecord): void {
  const cached = nested(input['cached_tokens_details']);
  raiseMedia(counts, 'audioInput', input['audio_tokens']);
  raiseMedia(counts, 'imageInput', input['image_tokens']);
  raiseMedia(counts, 'audioCache', cached['audio_tokens']);
  raiseMedia(counts, 'imageCache', cached['image_tokens']);
  raiseMedia(counts, 'audioOutput', output['audio_tokens']);
  raiseMedia(counts, 'imageOutput', output['image_tokens']);
}

export const OUTPUT_DETAILS = 'candidatesTokensDetails';

const GEMINI_DETAILS: readonly (readonly [string, MediaName, MediaName, MediaName?])[] = [
  ['promptTokensDetails', 'audioInput', 'imageInput', 'videoInput'],
  // The details of embeddings.
  ['promptTokenDetails', 'audioInput', 'imageInput', 'videoInput'],
  ['toolUsePromptTokensDetails', 'audioTool', 'imageTool', 'videoTool'],
  ['cacheTokensDetails', 'audioCache', 'imageCache'],
  [OUTPUT_DETAILS, 'audioOutput', 'imageOutput'],
];

/** Lists of `{ modality, tokenCount }`. */
export function addGeminiDetails(counts: Counts, usage: JsonRecord): void {
  for (const [key, audio, image, video] of GEMINI_DETAILS) {
    const list = usage[key];
    if (!Array.isArray(list)) continue;
    if (key === OUTPUT_DETAILS && list.length > 0) counts.hasOutputDetails = true;
    raiseMedia(counts, audio, sumOf(list, 'AUDIO'));
    // The pages of a document are images.
    raiseMedia(counts, image, sumOf(list, 'IMAGE') + sumOf(list, 'DOCUMENT'));
    if (video) raiseMedia(counts, video, sumOf(list, 'VIDEO'));
  }
}

function sumOf(list: readonly unknown[], modality: string): number {
  let sum = 0;
  for (const entry of list) {
    const part = nested(entry);
    if (part['modality'] === modality) sum += countOf(part['tokenCount']) ?? 0;
  }
  return sum;
}

/** An `inlineData` part of Gemini's answer: its data and their type. */
export function showInlineData(counts: Counts, data: Buffer): void {
  if (data.includes(IMAGE_TYPE)) extrasOf(counts).showsImage = true;
}

const IMAGE_TYPE = Buffer.from('"image');

/** Bounded by the counts that they are parts of; cached parts are not input parts. */
export function usageExtras(
  usage: Usage,
  raw: RawExtras,
  { isStandardTier, hasOutputDetails }: Pick<Counts, 'isStandardTier' | 'hasOutputDetails'>,
  isOpen: boolean,
): Pick<MeteredUsage, 'extras' | 'tiers'> {
  const tiers = isStandardTier ? { ...STANDARD, ...raw.tiers } : raw.tiers;
  const toolUses = isOpen ? { ...raw.shownUses, ...raw.toolUses } : raw.toolUses;
  const audioOutputTokens = Math.min(raw.audioOutput, usage.outputTokens);
  // An image without its own count may be the whole output except for the thoughts.
  const isUncounted = raw.showsImage && !hasOutputDetails;
  const imageOutput = isUncounted ? usage.outputTokens - usage.reasoningTokens : raw.imageOutput;
  const imageOutputTokens = Math.min(imageOutput, usage.outputTokens - audioOutputTokens);
  if (!hasPricedParts(raw, toolUses) && imageOutputTokens === 0) return { tiers };
  const audioCacheTokens = Math.min(raw.audioCache, usage.cacheReadTokens);
  const imageCacheTokens = Math.min(raw.imageCache, usage.cacheReadTokens - audioCacheTokens);
  const audioInput = raw.audioInput + raw.audioTool;
  const audioInputTokens = Math.min(audioInput - audioCacheTokens, usage.inputTokens);
  const imageLeft = usage.inputTokens - Math.max(0, audioInputTokens);
  const imageInput = raw.imageInput + raw.imageTool;
  const imageInputTokens = Math.max(0, Math.min(imageInput - imageCacheTokens, imageLeft));
  return {
    tiers,
    extras: {
      audioInputTokens: Math.max(0, audioInputTokens),
      imageInputTokens,
      videoInputTokens: Math.min(raw.videoInput + raw.videoTool, imageLeft - imageInputTokens),
      audioCacheTokens,
      imageCacheTokens,
      audioOutputTokens,
      imageOutputTokens,
      toolUses: toolUses ?? NO_USES,
    },
  };
}

const USES = '_requests';
const NO_USES: Readonly<Record<string, number>> = Object.freeze({});

function hasPricedParts(raw: RawExtras, toolUses: RawExtras['toolUses']): boolean {
  const ofTools = raw.audioTool + raw.imageTool + raw.videoTool;
  const tokens =
    raw.audioInput + raw.imageInput + raw.videoInput + raw.audioOutput + raw.imageOutput;
  return tokens + ofTools + raw.audioCache + raw.imageCache > 0 || toolUses !== undefined;
}

function raiseMedia(counts: Counts, name: MediaName, value: unknown): void {
  const count = countOf(value) ?? 0;
  if (count === 0) return;
  const extras = extrasOf(counts);
  extras[name] = Math.max(extras[name], count);
}

function extrasOf(counts: Counts): RawExtras {
  counts.extras ??= {
    audioInput: 0,
    imageInput: 0,
    videoInput: 0,
    audioTool: 0,
    imageTool: 0,
    videoTool: 0,
    audioCache: 0,
    imageCache: 0,
    audioOutput: 0,
    imageOutput: 0,
    toolUses: undefined,
    shownUses: undefined,
    tiers: undefined,
    showsImage: false,
  };
  return counts.extras;
}
