// The request field that a provider complains about, rebuilt from known words: every part must be a field of
// a provider's request format or an index. No text of the provider can pass; an unknown name is dropped.

export function knownField(path: string | undefined): string | undefined {
  if (path === undefined || path.length > MAX_PATH) return undefined;
  if (FIELD_WORDS.has(path)) return path;
  const parts = path.split(/[.[\]]/).filter((part) => part !== '' && part !== 'body');
  if (parts.length === 0 || parts.length > 8) return undefined;
  const isKnown = parts.every((part) => FIELD_WORDS.has(part) || /^\d{1,4}$/.test(part));
  return isKnown && !/^\d/.test(parts[0] ?? '') ? parts.join('.') : undefined;
}

const MAX_PATH = 100;

/** Anthropic starts the sentence with the path: `messages.0.content.1: …`. */
export function leadingPath(text: string): string | undefined {
  const colon = text.indexOf(': ');
  if (colon < 2 || colon > MAX_PATH) return undefined;
  const path = text.slice(0, colon);
  return path.includes(' ') ? undefined : path;
}

const FIELD_WORDS: ReadonlySet<string> = new Set(
  `model messages role content system max_tokens max_completion_tokens max_output_tokens temperature top_p top_k
  stop stop_sequences stream stream_options tools tool_choice tool_calls tool_call_id tool_use_id tool_result
  tool_use function functions function_call name description parameters arguments input input_schema schema
  response_format json_schema text type image image_url source data media_type url detail audio file file_id
  document metadata user user_id n seed logprobs top_logprobs logit_bias frequency_penalty presence_penalty
  thinking budget_tokens reasoning reasoning_effort effort verbosity service_tier prompt instructions
  previous_response_id include store truncation background conversation parallel_tool_calls modalities voice
  format prediction safety_identifier prompt_cache_key web_search_options contents parts inlineData inline_data
  fileData mimeType generationConfig generation_config systemInstruction system_instruction safetySettings
  toolConfig tool_config cachedContent maxOutputTokens stopSequences responseMimeType responseSchema
  thinkingConfig thinkingBudget candidateCount topP topK functionDeclarations functionCall functionResponse
  cache_control base64 ttl dimensions encoding_format embeddings texts input_type truncate context_management
  container mcp_servers betas custom properties required items strict`
    .split(/\s+/)
    .filter((word) => word !== ''),
);
