// The documented keys of LiteLLM's sections that have no counterpart; keys that are taken are in the readers.

import { leftOutKeys } from '../peer-map.ts';
import {
  ALERTS,
  CLOUD,
  HEADERS,
  LOGS,
  METRICS,
  NO_BUDGET_HERE,
  NO_CACHE,
  NO_GUARDRAILS,
  NO_MCP,
  NO_PARAMETERS,
  NO_PROBES,
  NO_UI,
  OWN_KEYS,
  OWN_REDIS,
  OWN_ROUTES,
  OWN_STORE,
  ROUTER,
  SECRETS,
  SSO,
  WRITE_PATH,
} from './reasons.ts';

export const TOP_LEVEL = leftOutKeys({
  'it belongs into another section':
    'routing_strategy_args default_litellm_params litellm_jwtauth callbacks tag_routing',
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

export const LITELLM_SETTINGS = leftOutKeys({
  [LOGS]:
    'success_callback failure_callback callbacks service_callbacks service_callback turn_off_message_logging ' +
    'redact_user_api_key_info langfuse_default_tags set_verbose json_logs redact_messages_in_exceptions ' +
    'allow_dynamic_callback_disabling store_audit_logs standard_logging_payload_excluded_fields s3_callback_params ' +
    'gcs_pub_sub_use_v1 log_raw_request_response message_logging otel datadog_params generic_logger_headers argilla_transformation_object audit_log_callbacks aws_sqs_callback_params cold_storage_custom_logger datadog_llm_observability_params dynamodb_table_name global_disable_no_log_param langfuse_public_key langfuse_secret_key langsmith_batch_size telemetry logged_real_time_event_types',
  [METRICS]:
    'custom_prometheus_metadata_labels custom_prometheus_tags prometheus_metrics_config ' +
    'prometheus_initialize_budget_metrics require_auth_for_metrics_endpoint enable_end_user_cost_tracking_prometheus_only ' +
    'disable_end_user_cost_tracking disable_end_user_cost_tracking_prometheus_only extra_spend_tag_headers ' +
    'disable_add_user_agent_to_request_tags prometheus_emit_stream_label',
  [NO_PARAMETERS]:
    'modify_params add_function_to_prompt enable_preview_features LITELLM_DISABLE_STOP_SEQUENCE_LIMIT ' +
    'disable_add_transform_inline_image_block use_chat_completions_url_for_anthropic_messages ' +
    'route_all_chat_openai_to_responses enable_json_schema_validation disable_copilot_system_to_assistant ' +
    'disable_stop_sequence_limit disable_hf_tokenizer_download REPEATED_STREAMING_CHUNK_LIMIT compression_interception_params code_interpreter_interception_params include_cost_in_streaming_usage reasoning_auto_summary return_response_headers vertex_ai_safety_settings enable_loadbalancing_on_batch_endpoints',
  [NO_CACHE]:
    'cache cache_params enable_redis_auth_cache enable_caching_on_provider_specific_optional_params',
  [NO_GUARDRAILS]:
    'guardrails skip_system_message_in_guardrail presidio_ad_hoc_recognizers ' +
    'azure_content_safety_params llamaguard_model_name blocked_user_list banned_keywords_list prompt_injection_params google_moderation_confidence_threshold toxic_confidence_threshold llm_guard_mode',
  [NO_MCP]: 'mcp_aliases mcp_semantic_tool_filter vector_stores websearch_interception_params',
  'prices are list prices; set prices.models for others': 'cost_discount_config cost_margin_config',
  'a refusal for reasons of content policy ends the request; no other model is asked':
    'content_policy_fallbacks',
  'node resolves addresses by the order of the system': 'force_ipv4',
  'set NODE_EXTRA_CA_CERTS or UPSTREAM_CA_FILE':
    'ssl_verify ssl_certificate ssl_security_level ssl_ecdh_curve',
  [OWN_KEYS]:
    'key_generation_settings enable_key_alias_format_validation upperbound_key_generate_params ' +
    'max_ui_session_budget ui_theme_config master_key enable_model_config_credential_overrides',
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
  [HEADERS]:
    'add_user_information_to_llm_headers forward_client_headers_to_llm_api forward_llm_provider_auth_headers',
  [CLOUD]: 'default_vertex_config enable_azure_ad_token_refresh vertex_location vertex_project',
  [OWN_STORE]: 'database_url',
  [NO_PROBES]: 'check_provider_endpoint',
  'organisations share a provider in turn; there are no priorities':
    'priority_reservation priority_reservation_settings',
  'an organisation has its own time zone: spillway orgs set --time-zone': 'timezone',
  'the simulator answers without a provider: spillway simulate': 'network_mock',
});

export const ROUTER_SETTINGS = leftOutKeys({
  [OWN_REDIS]: 'redis_host redis_password redis_port redis_db redis_url',
  [NO_CACHE]: 'cache_responses cache_kwargs caching_groups client_ttl cache_params',
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
    'allow_client_side_credentials disable_auto_add_proxy_admin_to_teams custom_team_metadata_validate team_metadata_validation_timeout team_metadata_validation_error_message',
  [SSO]:
    'custom_auth custom_auth_run_common_checks enable_jwt_auth litellm_jwtauth enable_oauth2_auth enable_oauth2_proxy_auth ' +
    'oauth2_config_mappings custom_sso custom_ui_sso_sign_in_handler auto_redirect_ui_login_to_sso allow_user_auth ' +
    'enforce_rbac role_permissions trusted_proxy_ranges allow_cli_sso_verification_uri_complete custom_auth_settings',
  [OWN_STORE]:
    'database_url database_connection_pool_limit database_connection_timeout database_connection_pool_timeout ' +
    'database_connect_timeout database_socket_timeout database_extra_connection_params ' +
    'database_disable_prepared_statements database_type database_args disable_prisma_schema_update ' +
    'store_model_in_db supported_db_objects proxy_config_reload_interval_seconds store_prompts_in_cold_storage',
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
    'alerting alerting_threshold alert_types alert_to_webhook_url alerting_args alert_type_config spend_report_frequency alerts',
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
    'ui_access_mode enable_public_model_hub plugins ui_theme_config litellm_license control_plane_url UI_PASSWORD UI_USERNAME block_robots',
  [NO_MCP]:
    'user_mcp_management_mode enable_mcp_registry mcp_client_side_auth_header_name mcp_internal_ip_ranges ' +
    'mcp_required_fields mcp_trusted_proxy_ranges mcp_xff_num_trusted_hops require_end_user_mcp_access_defined search_tools',
  'set OTEL_EXPORTER_OTLP_ENDPOINT': 'otel',
  'private hosts are allowed with EGRESS_ALLOW_HOSTS':
    'user_url_validation user_url_allowed_hosts provider_url_destination_allowed_hosts',
  [LOGS]: 'set_verbose datadog_api_key',
});
