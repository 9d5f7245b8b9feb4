// A target of OpenAI's format, for tests that call no provider.

import type { Target } from '../../../src/routing/target.ts';

export const OPENAI_TARGET: Target = {
  provider: 'openai',
  account: 'default',
  region: 'us-east',
  format: 'openai',
  model: 'gpt-5-mini',
  origin: 'http://127.0.0.1',
  basePath: '',
  apiKey: 'k',
};
