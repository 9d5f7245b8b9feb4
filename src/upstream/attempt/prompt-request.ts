// Builds a request in a provider's format from a prompt and its images. Pure.

import { SpillwayError } from '../../errors/spillway-error.ts';
import type { ProviderFormat } from '../../kernel/provider-format.ts';

export type Prompt = {
  readonly text: string;
  /** Data URLs, such as `data:image/png;base64,…`. */
  readonly images: readonly string[];
  readonly maxOutputTokens: number;
};

type Image = { readonly mediaType: string; readonly data: string };

export function promptRequest(
  format: ProviderFormat,
  model: string,
  prompt: Prompt,
): Record<string, unknown> {
  const images = prompt.images.map(parseImage);
  switch (format) {
    case 'anthropic':
      return {
        model,
        max_tokens: prompt.maxOutputTokens,
        messages: [
          {
            role: 'user',
            content: [...images.map(anthropicImage), { type: 'text', text: prompt.text }],
          },
        ],
      };
    case 'openai':
      return {
        model,
        max_completion_tokens: prompt.maxOutputTokens,
        messages: [
          {
            role: 'user',
            content: [...images.map(openaiImage), { type: 'text', text: prompt.text }],
          },
        ],
      };
    case 'gemini':
      return {
        contents: [{ role: 'user', parts: [...images.map(geminiImage), { text: prompt.text }] }],
        generationConfig: { maxOutputTokens: prompt.maxOutputTokens },
      };
  }
}

/** Linear time. Only base64, the one form that all three formats accept. */
function parseImage(url: string): Image {
  const comma = url.indexOf(',');
  const head = /^data:(image\/[\w.+-]{1,50});base64$/i.exec(url.slice(0, Math.max(0, comma)));
  if (!head?.[1]) {
    throw new SpillwayError('INVALID_REQUEST', 'an image is not a base64 data URL', {
      params: { field: 'images' },
    });
  }
  return { mediaType: head[1].toLowerCase(), data: url.slice(comma + 1) };
}

function anthropicImage({ mediaType, data }: Image): unknown {
  return { type: 'image', source: { type: 'base64', media_type: mediaType, data } };
}

function openaiImage({ mediaType, data }: Image): unknown {
  return { type: 'image_url', image_url: { url: `data:${mediaType};base64,${data}` } };
}

function geminiImage({ mediaType, data }: Image): unknown {
  return { inlineData: { mimeType: mediaType, data } };
}
