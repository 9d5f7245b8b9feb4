// The vendors' APIs that a peer's file can name, and where Spillway calls them: in the vendor's own wire format, else in
// OpenAI's. Embeddings are not translated between formats, so they are called in OpenAI's format everywhere.

import type { ProviderFormat } from '../../kernel/provider-format.ts';

export type Endpoint = {
  /** The provider's name in spillway.yaml. */
  readonly name: string;
  /** Absent: the peer's file has to state the address. */
  readonly baseUrl?: string;
  /** The vendor's own wire format, if it has one besides OpenAI's. */
  readonly nativeFormat?: Exclude<ProviderFormat, 'openai'>;
  /** The path of the OpenAI-compatible API below the base URL, if it is not the base URL itself. */
  readonly openaiPath?: string;
  /** The server needs no key, unless the file gives one. */
  readonly isKeyless?: boolean;
};

export type EndpointLookup =
  | { readonly endpoint: Endpoint }
  /** Spillway cannot call this API. */
  | { readonly reason: string };

/** `name` is a peer's name of a vendor, in any spelling: `together_ai`, `together-ai`. */
export function findEndpoint(name: string): EndpointLookup | undefined {
  const plain = name.toLowerCase().replaceAll(/[-_ ]/g, '');
  const endpoint = ENDPOINTS.get(plain);
  if (endpoint) return { endpoint };
  const reason = UNSUPPORTED.get(plain);
  return reason === undefined ? undefined : { reason };
}

/** The vendor's name begins the slug: `openai-prod-4f2a` is OpenAI's. The longest name wins. */
export function endpointOfSlug(slug: string): EndpointLookup | undefined {
  const parts = slug.split(/[-_ ]/);
  for (let length = parts.length; length > 0; length -= 1) {
    const found = findEndpoint(parts.slice(0, length).join(''));
    if (found) return found;
  }
  return undefined;
}

const OPENAI: Endpoint = { name: 'openai', baseUrl: 'https://api.openai.com/v1' };
const ANTHROPIC: Endpoint = {
  name: 'anthropic',
  baseUrl: 'https://api.anthropic.com',
  nativeFormat: 'anthropic',
  openaiPath: '/v1',
};
const GEMINI: Endpoint = {
  name: 'gemini',
  baseUrl: 'https://generativelanguage.googleapis.com',
  nativeFormat: 'gemini',
  openaiPath: '/v1beta/openai',
};
const AZURE: Endpoint = { name: 'azure', openaiPath: '/openai/v1' };
const VLLM: Endpoint = { name: 'vllm', isKeyless: true };
const OLLAMA: Endpoint = {
  name: 'ollama',
  baseUrl: 'http://localhost:11434/v1',
  isKeyless: true,
};

const at = (name: string, baseUrl: string): Endpoint => ({ name, baseUrl });

const TOGETHER = at('together', 'https://api.together.xyz/v1');
const FIREWORKS = at('fireworks', 'https://api.fireworks.ai/inference/v1');
const MISTRAL = at('mistral', 'https://api.mistral.ai/v1');
const COHERE = at('cohere', 'https://api.cohere.ai/compatibility/v1');
const NOVITA = at('novita', 'https://api.novita.ai/v3/openai');
const LAMBDA = at('lambda', 'https://api.lambda.ai/v1');
const NEBIUS = at('nebius', 'https://api.studio.nebius.com/v1');

/** By the peers' names in lower case without separators. */
const ENDPOINTS: ReadonlyMap<string, Endpoint> = new Map(
  Object.entries({
    openai: OPENAI,
    textcompletionopenai: OPENAI,
    customopenai: OPENAI,
    openailike: OPENAI,
    anthropic: ANTHROPIC,
    gemini: GEMINI,
    google: GEMINI,
    azure: AZURE,
    azureopenai: AZURE,
    azuretext: AZURE,
    togetherai: TOGETHER,
    together: TOGETHER,
    fireworksai: FIREWORKS,
    fireworks: FIREWORKS,
    mistral: MISTRAL,
    mistralai: MISTRAL,
    cohere: COHERE,
    coherechat: COHERE,
    novita: NOVITA,
    novitaai: NOVITA,
    lambda: LAMBDA,
    lambdaai: LAMBDA,
    nebius: NEBIUS,
    groq: at('groq', 'https://api.groq.com/openai/v1'),
    deepseek: at('deepseek', 'https://api.deepseek.com/v1'),
    openrouter: at('openrouter', 'https://openrouter.ai/api/v1'),
    xai: at('xai', 'https://api.x.ai/v1'),
    cerebras: at('cerebras', 'https://api.cerebras.ai/v1'),
    sambanova: at('sambanova', 'https://api.sambanova.ai/v1'),
    deepinfra: at('deepinfra', 'https://api.deepinfra.com/v1/openai'),
    nvidianim: at('nvidia', 'https://integrate.api.nvidia.com/v1'),
    huggingface: at('huggingface', 'https://router.huggingface.co/v1'),
    moonshot: at('moonshot', 'https://api.moonshot.ai/v1'),
    hyperbolic: at('hyperbolic', 'https://api.hyperbolic.xyz/v1'),
    featherlessai: at('featherless', 'https://api.featherless.ai/v1'),
    dashscope: at('dashscope', 'https://dashscope-intl.aliyuncs.com/compatible-mode/v1'),
    parasail: at('parasail', 'https://api.parasail.io/v1'),
    siliconflow: at('siliconflow', 'https://api.siliconflow.cn/v1'),
    zai: at('zai', 'https://api.z.ai/api/paas/v4'),
    ollama: OLLAMA,
    ollamachat: OLLAMA,
    vllm: VLLM,
    hostedvllm: VLLM,
    sgl: { name: 'sgl', isKeyless: true },
    lmstudio: { name: 'lm-studio', baseUrl: 'http://localhost:1234/v1', isKeyless: true },
    llamafile: { name: 'llamafile', isKeyless: true },
    litellmproxy: { name: 'litellm' },
  }),
);

const SIGNED = 'Spillway does not sign requests for AWS';
const GOOGLE_TOKEN = 'Spillway does not obtain Google Cloud tokens; use the Gemini API with a key';
const NO_CHAT = 'this API is not in the format of OpenAI, Anthropic or Gemini';

const UNSUPPORTED: ReadonlyMap<string, string> = new Map(
  Object.entries({
    [SIGNED]: 'bedrock bedrockmantle bedrockconverse sagemaker sagemakerchat awspolly',
    [GOOGLE_TOKEN]: 'vertex vertexai vertexaibeta palm',
    [NO_CHAT]:
      'replicate elevenlabs runway stabilityai segmind jina jinaai voyage nomic recraftai milvus qdrant predibase ' +
      'triton workersai cloudflare watsonx watsonxtext oracle oci cortex snowflake databricks nlpcloud alephalpha ' +
      'petals baseten meshy tripo3d modal assemblyai deepgram infinity petalsai maritalk azureai azureaiinference ' +
      'perplexity perplexityai ai21 reka rekaai anyscale clarifai gigachat friendliai topaz custom',
  }).flatMap(([reason, names]) => names.split(' ').map((name) => [name, reason] as const)),
);
