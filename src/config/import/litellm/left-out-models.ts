// The documented keys of `model_list` that have no counterpart; keys that are taken are in the readers.

import { leftOutKeys } from '../peer-map.ts';
import {
  CAPABILITY,
  CLOUD,
  HEADERS,
  LOGS,
  NO_BUDGET_HERE,
  NO_CACHE,
  NO_GUARDRAILS,
  NO_MCP,
  NO_PARAMETERS,
  NO_PROBES,
  NOT_A_LIMIT,
  OWN_ROUTES,
  PRICE_KIND,
  ROUTER,
  SSO,
} from './reasons.ts';

export const MODEL = leftOutKeys({
  [NO_PROBES]: 'health_check_model',
  "Azure's v1 API needs no version": 'api_version',
  'prices.models sets prices': 'base_model',
});

export const MODEL_INFO = leftOutKeys({
  'it identifies the deployment inside LiteLLM':
    'id db_model created_at created_by updated_at updated_by key',
  'the endpoint of the request decides': 'mode supported_endpoints litellm_provider',
  'Spillway prices a model by the name that it calls; set prices.models for another name':
    'base_model',
  'models are not reserved for teams; restrict keys with --model':
    'team_id team_public_model_name access_groups access_via_team_ids direct_access',
  'delete the target from the alias instead': 'blocked',
  'tiers of models are not supported': 'tier',
  [CAPABILITY]:
    'supports_vision supports_function_calling supports_parallel_function_calling supports_tool_choice ' +
    'supports_response_schema supports_system_messages supports_assistant_prefill supports_prompt_caching ' +
    'supports_audio_input supports_audio_output supports_video_input supports_pdf_input ' +
    'supports_embedding_image_input supports_native_streaming supports_web_search supports_url_context ' +
    'supports_reasoning supports_computer_use supports_image_input supported_openai_params ' +
    'supported_environments output_vector_size tool_use_system_prompt_tokens uses_embed_content ' +
    'use_openai_responses_path provider_specific_entry metadata custom_tokenizer version adaptive_router_preferences',
  [NO_PROBES]:
    'disable_background_health_check health_check_model health_check_timeout health_check_voice health_check_max_tokens health_check_max_tokens_non_reasoning health_check_max_tokens_reasoning',
  [PRICE_KIND]: priceKeys(),
  [NOT_A_LIMIT]: 'rpm tpm',
  [NO_BUDGET_HERE]: 'max_budget budget_duration',
});

export const PARAMS = leftOutKeys({
  [NO_PARAMETERS]:
    'temperature max_tokens max_completion_tokens top_p top_k n stream stream_options stop presence_penalty ' +
    'frequency_penalty logit_bias user response_format seed tools tool_choice parallel_tool_calls functions ' +
    'function_call logprobs top_logprobs reasoning_effort thinking modalities audio prediction service_tier store ' +
    'metadata messages text_completion prompt input dimensions encoding_format allowed_openai_params ' +
    'additional_drop_params drop_params extra_body cache_control_injection_points initial_prompt_value roles ' +
    'final_prompt_value bos_token eos_token custom_prompt_dict keep_alive prompt_id prompt_variables ' +
    'merge_reasoning_content_in_choices output_cost_per_pixel use_chat_completions_api supports_system_message adapter_base adapter_id adapter_source guardrailConfig input_type instruction instructions max_new_tokens min_tokens performanceConfig raw_scores repetition_penalty requestMetadata safety_settings serviceTier user_continue_message voice web_search_options',
  [HEADERS]:
    'extra_headers headers default_headers organization configurable_clientside_auth_params user_agent',
  [CLOUD]:
    'azure_ad_token azure_ad_token_provider tenant_id client_id client_secret azure_username azure_password azure_scope ' +
    'vertex_project vertex_location vertex_credentials vertex_ai_project vertex_ai_location vertex_ai_credentials ' +
    'aws_access_key_id aws_secret_access_key aws_session_token aws_region_name aws_session_name aws_profile_name ' +
    'aws_role_name aws_web_identity_token aws_sts_endpoint aws_bedrock_runtime_endpoint aws_bedrock_project_id ' +
    'aws_batch_role_arn watsonx_region_name gcs_bucket_name s3_bucket_name s3_region_name s3_encryption_key_id ' +
    'vector_bucket_name index_name embedding_model aws_sagemaker_allow_zero_temp aws_secret_access_id model_id project_id invocationId qualifier s3_access_key_id s3_secret_access_key use_psc_endpoint_format vertex_count_tokens_location',
  'regions of limits are set with providers.*.region': 'region_name',
  "Azure's v1 API needs no version": 'api_version',
  'timeouts apply to all providers: timeouts in spillway.yaml': 'timeout stream_timeout',
  'retries apply to all providers: retry in spillway.yaml': 'max_retries num_retries',
  'concurrent calls are limited for organisations (--max-concurrent) and the server':
    'max_parallel_requests',
  [NOT_A_LIMIT]: 'itpm otpm default_api_key_tpm_limit default_api_key_rpm_limit',
  [NO_BUDGET_HERE]: 'max_budget budget_duration',
  'Spillway has no routing by tags': 'tags tag_regex',
  [ROUTER]:
    'auto_router_config_path auto_router_config auto_router_default_model auto_router_embedding_model ' +
    'auto_router_max_input_chars complexity_router_config complexity_router_default_model ' +
    'adaptive_router_default_model adaptive_router_config quality_router_config quality_router_default_model silent_model',
  'the simulator answers without a provider: spillway simulate': 'mock_response mock_timeout',
  [OWN_ROUTES]: 'use_in_pass_through use_litellm_proxy',
  [LOGS]:
    'litellm_trace_id success_callback failure_callback callbacks langfuse_public_key langfuse_secret langfuse_host ' +
    'turn_off_message_logging litellm_session_id',
  [NO_CACHE]: 'cache caching ttl no-log',
  [NO_GUARDRAILS]: 'guardrails',
  [NO_MCP]:
    'vector_store_id milvus_text_field milvus_db_name milvus_partition_names vector_store_ids',
  'server.bodyLimitBytes limits bodies': 'max_file_size_mb',
  [SSO]: 'use_xai_oauth',
  [PRICE_KIND]: priceKeys(),
  'Spillway prices a model by the name that it calls; set prices.models for another name':
    'base_model',
  'set NODE_EXTRA_CA_CERTS or UPSTREAM_CA_FILE': 'ssl_verify',
  'circuits are configured for all providers: breaker in spillway.yaml':
    'cooldown_time allowed_fails',
});

/** Prices for units other than input, output and cached tokens. */
function priceKeys(): string {
  const steps = ['128k', '200k', '272k', '512k'].flatMap((step) =>
    ['input_cost_per_token', 'output_cost_per_token', 'cache_read_input_token_cost']
      .concat(
        'cache_creation_input_token_cost',
        'input_cost_per_character',
        'output_cost_per_character',
      )
      .concat(
        'input_cost_per_image',
        'input_cost_per_audio_per_second',
        'input_cost_per_video_per_second',
      )
      .flatMap((kind) =>
        ['', '_priority', '_flex'].map((tier) => `${kind}_above_${step}_tokens${tier}`),
      ),
  );
  return [
    ...steps,
    'annotation_cost_per_page cache_creation_input_audio_token_cost cache_creation_input_token_cost_flex',
    'cache_creation_input_token_cost_priority cache_read_input_audio_token_cost cache_read_input_token_cost_flex',
    'cache_read_input_token_cost_priority citation_cost_per_token input_cost_per_audio_per_second',
    'input_cost_per_character input_cost_per_image input_cost_per_pixel input_cost_per_query input_cost_per_second',
    'input_cost_per_token_batches input_cost_per_token_cache_hit input_cost_per_token_flex',
    'input_cost_per_token_priority input_cost_per_video_per_second input_cost_per_video_token',
    'input_cost_per_video_per_second_above_15s_interval input_cost_per_video_per_second_above_8s_interval',
    'ocr_cost_per_credit ocr_cost_per_page output_cost_per_audio_per_second output_cost_per_character',
    'output_cost_per_image output_cost_per_reasoning_token output_cost_per_reasoning_token_flex',
    'output_cost_per_reasoning_token_priority output_cost_per_second output_cost_per_second_1080p',
    'output_cost_per_token_batches output_cost_per_token_flex output_cost_per_token_priority',
    'output_cost_per_pixel output_cost_per_video_per_second output_cost_per_video_token prompt_cache_min_tokens',
    'regional_processing_uplift_multiplier_eu regional_processing_uplift_multiplier_us',
    'search_context_cost_per_query tiered_pricing web_search_billing_unit',
  ].join(' ');
}
