// The documented keys of LiteLLM's config.yaml that have no counterpart, with the reason that the report states. Keys
// that are taken are in the readers.

import { leftOutKeys } from '../peer-map.ts';

const NO_CACHE = 'Spillway does not cache responses';
const NO_GUARDRAILS = 'Spillway has no guardrails; requests and responses pass unchanged';
const NO_MCP = 'Spillway has no MCP gateway and no tools of its own';
const NO_PARAMETERS = 'Spillway forwards requests unchanged; send it in the request';
const OWN_KEYS = 'Spillway has keys of its own: spillway keys create';
const OWN_STORE =
  'Spillway needs a database of its own: DATABASE_URL, or SQLite in the data folder';
const OWN_REDIS = 'set REDIS_URL to share limits among servers';
const LOGS = 'logs are JSON lines on stdout without prompts; there are no callbacks';
const METRICS = 'metrics are at /metrics; their labels are fixed';
const ALERTS = 'alerts are log entries; see docs/limits-and-money.md';
const NO_UI = 'there is no admin user interface; use spillway --help or the admin API';
const SSO = 'Spillway authenticates callers by keys only';
const CAPABILITY = 'capabilities are not checked; the provider refuses what it cannot do';
const NO_PROBES = 'Spillway makes no paid health checks; circuits follow real calls';
const NOT_A_LIMIT = 'a limit of Spillway belongs to an account, a key or an organisation';
const PRICE_KIND = 'prices.models has no price of this kind';
const CLOUD = 'credentials of a cloud platform are not supported; use an API key';
const ROUTER = 'Spillway has no router of this kind';
const NO_BUDGET_HERE = 'a budget belongs to an organisation, a user or a key';
const WRITE_PATH = 'usage is written by a local journal; there is nothing to configure';
const HEADERS = 'headers of callers are not forwarded, except the documented ones';
const OWN_ROUTES = 'the routes of Spillway are fixed; see docs/endpoints.md';
const SECRETS = 'keys come from environment variables; let the secret manager set them';

export const TOP_LEVEL = leftOutKeys({
  [NO_GUARDRAILS]: 'guardrails policies policy_attachments',
  [NO_MCP]:
    'mcp_servers mcp_tools search_tools sandbox_tools agents agent_list vector_store_registry',
  [LOGS]: 'callback_settings',
  'Spillway has no stored prompts': 'prompts',
  'only calls of models are served, no assistants, files or fine-tuning':
    'assistant_settings finetune_settings files_settings',
  'only this file was read; import that file as well and join the results': 'include',
  [CLOUD]: 'default_vertex_config',
  'servers find each other through REDIS_URL': 'worker_registry',
});

export const MODEL = leftOutKeys({ [NO_PROBES]: 'health_check_model' });

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
    'use_openai_responses_path provider_specific_entry metadata',
  [NO_PROBES]:
    'disable_background_health_check health_check_model health_check_timeout health_check_voice health_check_max_tokens',
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
    'merge_reasoning_content_in_choices output_cost_per_pixel use_chat_completions_api supports_system_message',
  [HEADERS]:
    'extra_headers headers default_headers organization configurable_clientside_auth_params',
  [CLOUD]:
    'azure_ad_token azure_ad_token_provider tenant_id client_id client_secret azure_username azure_password azure_scope ' +
    'vertex_project vertex_location vertex_credentials vertex_ai_project vertex_ai_location vertex_ai_credentials ' +
    'aws_access_key_id aws_secret_access_key aws_session_token aws_region_name aws_session_name aws_profile_name ' +
    'aws_role_name aws_web_identity_token aws_sts_endpoint aws_bedrock_runtime_endpoint aws_bedrock_project_id ' +
    'aws_batch_role_arn watsonx_region_name gcs_bucket_name s3_bucket_name s3_region_name s3_encryption_key_id ' +
    'vector_bucket_name index_name embedding_model',
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
    'adaptive_router_default_model adaptive_router_config quality_router_config quality_router_default_model',
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
});

/** Prices that are neither per input, output or cached token. */
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
    'output_cost_per_video_per_second output_cost_per_video_token prompt_cache_min_tokens',
    'regional_processing_uplift_multiplier_eu regional_processing_uplift_multiplier_us',
    'search_context_cost_per_query tiered_pricing web_search_billing_unit',
  ].join(' ');
}

export const LITELLM_SETTINGS = leftOutKeys({
  [LOGS]:
    'success_callback failure_callback callbacks service_callbacks service_callback turn_off_message_logging ' +
    'redact_user_api_key_info langfuse_default_tags set_verbose json_logs redact_messages_in_exceptions ' +
    'allow_dynamic_callback_disabling store_audit_logs standard_logging_payload_excluded_fields s3_callback_params ' +
    'gcs_pub_sub_use_v1 log_raw_request_response message_logging otel datadog_params generic_logger_headers',
  [METRICS]:
    'custom_prometheus_metadata_labels custom_prometheus_tags prometheus_metrics_config ' +
    'prometheus_initialize_budget_metrics require_auth_for_metrics_endpoint enable_end_user_cost_tracking_prometheus_only ' +
    'disable_end_user_cost_tracking disable_end_user_cost_tracking_prometheus_only extra_spend_tag_headers ' +
    'disable_add_user_agent_to_request_tags',
  [NO_PARAMETERS]:
    'drop_params modify_params add_function_to_prompt enable_preview_features LITELLM_DISABLE_STOP_SEQUENCE_LIMIT ' +
    'disable_add_transform_inline_image_block use_chat_completions_url_for_anthropic_messages ' +
    'route_all_chat_openai_to_responses enable_json_schema_validation disable_copilot_system_to_assistant ' +
    'disable_stop_sequence_limit disable_hf_tokenizer_download',
  [NO_CACHE]:
    'cache cache_params enable_redis_auth_cache enable_caching_on_provider_specific_optional_params',
  [NO_GUARDRAILS]:
    'guardrails skip_system_message_in_guardrail presidio_ad_hoc_recognizers ' +
    'azure_content_safety_params llamaguard_model_name blocked_user_list banned_keywords_list',
  [NO_MCP]: 'mcp_aliases mcp_semantic_tool_filter vector_stores websearch_interception_params',
  'prices are list prices; set prices.models for others': 'cost_discount_config cost_margin_config',
  'a refusal for reasons of content policy ends the request; no other model is asked':
    'content_policy_fallbacks',
  'node resolves addresses by the order of the system': 'force_ipv4',
  'set NODE_EXTRA_CA_CERTS or UPSTREAM_CA_FILE':
    'ssl_verify ssl_certificate ssl_security_level ssl_ecdh_curve',
  [OWN_KEYS]:
    'key_generation_settings enable_key_alias_format_validation upperbound_key_generate_params ' +
    'max_ui_session_budget ui_theme_config',
  'organisations that are created later get their limits with: spillway orgs create':
    'default_team_settings default_team_params default_internal_user_params max_internal_user_budget ' +
    'internal_user_budget_duration default_user_params max_user_budget',
  'budgets of users that LiteLLM stores in its database are not in this file':
    'max_end_user_budget_id',
  [NO_BUDGET_HERE]: 'tag_budget_config',
  'Spillway has no stored prompts':
    'global_prompt_directory global_bitbucket_config global_gitlab_config prompt_directory',
  'models are not grouped': 'model_group_settings public_model_groups public_model_groups_links',
  'Spillway keeps its own list of prices':
    'model_cost_map_url custom_provider_map suppress_debug_info',
  [OWN_ROUTES]: 'forward_traceparent_to_llm_provider pass_through_endpoints',
  'give the key to the deployment':
    'api_key openai_key azure_key anthropic_key api_base api_version organization',
});

export const ROUTER_SETTINGS = leftOutKeys({
  [OWN_REDIS]: 'redis_host redis_password redis_port redis_db redis_url',
  [NO_CACHE]: 'cache_responses cache_kwargs caching_groups client_ttl',
  'a refusal for reasons of content policy ends the request; no other model is asked':
    'content_policy_fallbacks',
  'Spillway has no routing by tags': 'enable_tag_filtering tag_filtering_match_any',
  'a prompt that is too long moves to a target with a larger window without a setting':
    'enable_pre_call_checks enable_pre_call_check optional_pre_call_checks',
  'the circuit breaker counts one kind of failure; see breaker in spillway.yaml':
    'allowed_fails_policy',
  'retries apply to all models: retry in spillway.yaml': 'model_group_retry_policy',
  'concurrent calls are limited for organisations (--max-concurrent) and the server':
    'default_max_parallel_requests',
  'every target of the chain is tried': 'max_fallbacks enable_weighted_failover',
  'jobs have queues of their own: POST /v1/jobs': 'default_priority polling_interval',
  [NO_PARAMETERS]: 'default_litellm_params',
  [LOGS]: 'set_verbose debug_level',
  [ALERTS]: 'alerting_config',
  [ROUTER]: 'routing_strategy_args routing_groups plugins',
  [NO_BUDGET_HERE]: 'provider_budget_config tag_budget_config',
  'calls are not tied to one deployment':
    'deployment_affinity_ttl_seconds model_group_affinity_config',
  'an invalid deployment stops the import': 'ignore_invalid_deployments',
  [NO_MCP]: 'search_tools assistants_config',
  [NO_GUARDRAILS]: 'guardrail_list',
  [NO_PROBES]:
    'enable_health_check_routing health_check_staleness_threshold health_check_ignore_transient_errors',
  'an option of the Python library': 'router_general_settings max_retries model_list',
});

export const GENERAL_SETTINGS = leftOutKeys({
  'Spillway generates an admin key, or reads SPILLWAY_ADMIN_KEY':
    'master_key disable_master_key_return',
  [OWN_KEYS]:
    'custom_key_generate custom_key_update disable_adding_master_key_hash_to_db litellm_key_header_name ' +
    'service_account_settings default_team_disabled user_api_key_cache_ttl ' +
    'allow_client_side_credentials disable_auto_add_proxy_admin_to_teams custom_team_metadata_validate',
  [SSO]:
    'custom_auth custom_auth_run_common_checks enable_jwt_auth litellm_jwtauth enable_oauth2_auth enable_oauth2_proxy_auth ' +
    'oauth2_config_mappings custom_sso custom_ui_sso_sign_in_handler auto_redirect_ui_login_to_sso allow_user_auth ' +
    'enforce_rbac role_permissions trusted_proxy_ranges allow_cli_sso_verification_uri_complete',
  [OWN_STORE]:
    'database_url database_connection_pool_limit database_connection_timeout database_connection_pool_timeout ' +
    'database_connect_timeout database_socket_timeout database_extra_connection_params ' +
    'database_disable_prepared_statements database_type database_args disable_prisma_schema_update ' +
    'store_model_in_db supported_db_objects proxy_config_reload_interval_seconds',
  'known keys keep working while PostgreSQL is unavailable, without a setting':
    'allow_requests_on_db_unavailable',
  [OWN_REDIS]: 'coordination_redis use_redis_transaction_buffer',
  [SECRETS]: 'key_management_system key_management_settings use_google_kms use_azure_key_vault',
  [WRITE_PATH]:
    'disable_spend_logs disable_spend_updates disable_error_logs disable_reset_budget proxy_batch_write_at ' +
    'proxy_batch_polling_interval proxy_budget_rescheduler_min_time proxy_budget_rescheduler_max_time ' +
    'maximum_spend_logs_retention_interval maximum_spend_logs_cleanup_cron use_spend_logs_partitioning ' +
    'maximum_autorouter_session_retention_period disable_budget_reservation',
  'prompts are never stored': 'store_prompts_in_spend_logs',
  [NO_PARAMETERS]:
    'completion_model image_generation_model embedding_model moderation_model always_include_stream_usage ' +
    'enforce_user_param enforced_params reject_clientside_metadata_tags',
  'every key may use every model, unless it is created with --model': 'infer_model_from_keys',
  'each key has its own limits; concurrent calls are limited per organisation (--max-concurrent)':
    'max_parallel_requests disable_retry_on_max_parallel_request_limit_error token_rate_limit_type',
  'responses have a fixed bound': 'max_response_size_mb',
  'a caller that leaves ends its call, without a setting': 'cancel_on_disconnect',
  [NO_PROBES]:
    'background_health_checks health_check_interval health_check_concurrency health_check_details ' +
    'health_check_skip_disabled_background_models health_check_staleness_threshold ' +
    'health_check_ignore_transient_errors enable_health_check_routing use_shared_health_check',
  [ALERTS]:
    'alerting alerting_threshold alert_types alert_to_webhook_url alerting_args alert_type_config spend_report_frequency',
  [OWN_ROUTES]:
    'allowed_routes public_routes admin_only_routes pass_through_endpoints pass_through_request_timeout ' +
    'use_client_credentials_pass_through_routes',
  [HEADERS]:
    'forward_openai_org_id forward_client_headers_to_llm_api forward_llm_provider_auth_headers use_x_forwarded_for',
  'callers name their user in X-User-Id':
    'user_header_name user_header_mappings apply_user_budget_to_team_keys',
  'restrict addresses in front of Spillway': 'allowed_ips',
  'response ids of callers are their own without a setting': 'disable_responses_id_security',
  [NO_UI]:
    'ui_access_mode enable_public_model_hub plugins ui_theme_config litellm_license control_plane_url',
  [NO_MCP]:
    'user_mcp_management_mode enable_mcp_registry mcp_client_side_auth_header_name mcp_internal_ip_ranges ' +
    'mcp_required_fields mcp_trusted_proxy_ranges mcp_xff_num_trusted_hops require_end_user_mcp_access_defined search_tools',
  'set OTEL_EXPORTER_OTLP_ENDPOINT': 'otel',
  'private hosts are allowed with EGRESS_ALLOW_HOSTS':
    'user_url_validation user_url_allowed_hosts provider_url_destination_allowed_hosts',
});
