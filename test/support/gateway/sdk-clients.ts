// The official SDKs as clients of a gateway under test. Only the base URL and the key differ from production;
// retries are off, so that a test sees each response.

import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import OpenAI from 'openai';

export type SdkAddress = { readonly url: string; readonly apiKey: string };

export function anthropic({ url, apiKey }: SdkAddress, base = ''): Anthropic {
  return new Anthropic({ baseURL: url + base, apiKey, maxRetries: 0 });
}

export function openai({ url, apiKey }: SdkAddress, base = '/v1'): OpenAI {
  return new OpenAI({ baseURL: url + base, apiKey, maxRetries: 0 });
}

export function google(
  { url, apiKey }: SdkAddress,
  base = '',
  apiVersion: 'v1' | 'v1alpha' | 'v1beta' = 'v1beta',
): GoogleGenAI {
  return new GoogleGenAI({ apiKey, apiVersion, httpOptions: { baseUrl: url + base } });
}

/** A tool that every provider's format can describe, and the question that makes the simulator call it. */
export const WEATHER = {
  name: 'get_weather',
  description: 'The weather of a city.',
  schema: {
    type: 'object' as const,
    properties: { city: { type: 'string' as const } },
    required: ['city'],
  },
  question: 'Please get weather for Bern',
  result: 'Sunny, 21 degrees',
};
