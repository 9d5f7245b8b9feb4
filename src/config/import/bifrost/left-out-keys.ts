// The documented keys of Bifrost's config.json that have no counterpart, after its JSON schema.

import { leftOutKeys } from '../peer-map.ts';

const NO_CACHE = 'Spillway does not cache responses';
const NO_MCP = 'Spillway has no MCP gateway';
const NO_PARAMETERS = 'Spillway forwards requests unchanged';
const LOGS = 'logs are JSON lines on stdout without prompts';
const CLOUD = 'credentials of a cloud platform are not supported; use an API key';
const HEADERS = 'headers of callers are not forwarded, except the documented ones';
const OWN_STORE = 'Spillway has a store of its own: DATABASE_URL, or SQLite in the data folder';
const OWN_KEYS = 'Spillway generates an admin key, or reads SPILLWAY_ADMIN_KEY';
const NOTE = 'a note of Bifrost';
const STATE = 'usage so far is not taken over';
const ENTERPRISE = 'Spillway has no such feature';
const FIXED = 'Spillway has no such setting';
const CALENDAR = 'a budget counts per calendar month';

export const TOP_LEVEL = leftOutKeys({
  [NOTE]: '$schema version env_label feature_flags',
  'spillway.yaml and the store are separate: settings in the file, organisations and keys in the store':
    'source_of_truth',
  [OWN_STORE]: 'config_store logs_store encryption_key',
  [OWN_KEYS]: 'auth_config setup_token',
  [FIXED]: 'server websocket large_payload_optimization framework',
  [NO_CACHE]: 'vector_store',
  [NO_MCP]: 'mcp skills_registry',
  [ENTERPRISE]: 'scim_config guardrails_config access_profiles audit_logs',
  'alerts are log entries': 'alerting webhooks',
  'prices.models sets prices': 'pricing_overrides',
  'servers find each other through REDIS_URL': 'cluster_config',
  'aliases.*.strategy chooses targets': 'load_balancer_config',
  'breaker in spillway.yaml configures circuits': 'circuit_breaker_config',
});

/** By the name of the plugin; other plugins are programs that Spillway cannot run. */
export const PLUGINS = leftOutKeys({
  [NO_CACHE]: 'semantic_cache semanticcache',
  [LOGS]: 'logging maxim',
  'set OTEL_EXPORTER_OTLP_ENDPOINT': 'otel',
  'metrics are at /metrics': 'telemetry prometheus',
  'limits and budgets are always in force': 'governance',
  'requests are forwarded unchanged': 'jsonparser mocker litellmcompat compat',
});

export const CLIENT = leftOutKeys({
  'requests over a limit wait at most retry.maxInteractiveWaitMs': 'drop_excess_requests',
  [FIXED]:
    'initial_pool_size buffer_size disable_db_pings_in_health whitelisted_routes hide_deleted_virtual_keys_in_filters ' +
    'routing_chain_max_depth webhook_config',
  'metrics have fixed labels': 'prometheus_labels',
  [LOGS]:
    'enable_logging disable_content_logging retain_content_in_object_storage logging_headers ' +
    'allow_per_request_content_storage_override allow_per_request_raw_override dump_errors_in_console_logs',
  'every request needs a key':
    'enforce_governance_header enforce_auth_on_inference enforce_scim_auth',
  'callers send one credential': 'dual_credential_conflict_behavior allow_direct_keys',
  [HEADERS]: 'header_filter_config required_headers allowed_headers',
  'retention.resultsMs keeps results of jobs': 'async_job_result_ttl',
  [NO_MCP]:
    'mcp_agent_depth mcp_tool_execution_timeout mcp_code_mode_binding_level mcp_tool_sync_interval ' +
    'mcp_disable_auto_tool_inject mcp_enable_temp_token_auth mcp_external_client_url mcp_server_auth_mode ' +
    'oauth2_server_config',
});

export const COMPAT = leftOutKeys({
  'requests are translated between wire formats without a setting':
    'convert_text_to_chat convert_chat_to_responses should_convert_params',
});

export const PROVIDER = leftOutKeys({
  'concurrent calls are limited for organisations (--max-concurrent) and the server':
    'concurrency_and_buffer_size',
  'set HTTPS_PROXY; one proxy serves all providers': 'proxy_config',
  'the raw answer of a provider is shown by GET /admin/requests/{id} only':
    'send_back_raw_request send_back_raw_response store_raw_request_response',
  [NO_PARAMETERS]: 'openai_config',
  'prices.models sets prices': 'pricing_overrides',
});

export const NETWORK = leftOutKeys({
  [HEADERS]: 'extra_headers beta_header_overrides',
  'connections are HTTP/1.1': 'enforce_http2 http2_ping_interval_in_seconds',
  'certificates are always checked': 'insecure_skip_verify',
  'set UPSTREAM_CA_FILE to a PEM file': 'ca_cert_pem',
  [FIXED]: 'keep_alive_timeout_in_seconds max_conns_per_host',
  'providers may be on private addresses': 'allow_private_network',
});

export const KEY = leftOutKeys({
  [NOTE]: 'id description status config_hash',
  'batches of providers are not served': 'use_for_batch_api',
  [CLOUD]: 'bedrock_key_config bedrock_mantle_key_config vertex_key_config replicate_key_config',
  'each format has a provider of its own': 'use_anthropic_endpoints',
});

export const KEY_ADDRESS = leftOutKeys({
  "Azure's v1 API needs no version": 'api_version',
  [CLOUD]: 'client_id client_secret tenant_id scopes',
  'the alias names the deployment': 'deployments model_name',
});

export const CUSTOM_PROVIDER = leftOutKeys({
  'Spillway serves chat, responses, messages and embeddings': 'allowed_requests',
  'a provider has one base URL': 'request_path_overrides',
});

export const GOVERNANCE = leftOutKeys({
  [OWN_KEYS]: 'auth_config',
  [ENTERPRISE]: 'business_units roles complexity_analyzer_config',
  'prices.models sets prices': 'pricing_overrides',
});

export const BUDGET = leftOutKeys({
  [CALENDAR]: 'calendar_aligned reset_config',
  [STATE]: 'current_usage last_reset',
  'raise the budget itself':
    'override_amount override_mode override_cycles_remaining override_cycles_total override_anchor_reset',
});

export const RATE_LIMIT = leftOutKeys({
  'windows slide; they are not aligned': 'calendar_aligned',
  [STATE]: 'token_current_usage token_last_reset request_current_usage request_last_reset',
});

export const CUSTOMER = leftOutKeys({
  [NOTE]: 'virtual_key_count',
  [CALENDAR]: 'calendar_aligned',
});

export const TEAM = leftOutKeys({
  [NOTE]: 'virtual_key_count source_id profile config claims business_unit_id',
  [CALENDAR]: 'calendar_aligned',
});

export const VIRTUAL_KEY = leftOutKeys({
  'Spillway has keys of its own; this command creates one': 'value',
  [NOTE]: 'id description',
  [CALENDAR]: 'calendar_aligned',
  [ENTERPRISE]: 'access_profile_id is_access_profile_managed',
  [NO_MCP]: 'mcp_configs',
});

export const PROVIDER_CONFIG = leftOutKeys({
  [NOTE]: 'id virtual_key_id',
  'a key of Spillway may use all accounts of a provider': 'key_ids keys',
  'a key has one limit for all providers': 'rate_limit_id rate_limit',
  'list the allowed models instead': 'blacklisted_models',
  'a key has one budget for all providers': 'budget_id budgets',
});

export const ROUTING_RULE = leftOutKeys({
  [NOTE]: 'id name description query chain_rule priority scope scope_id',
});

export const ROUTING_TARGET = leftOutKeys({
  'accounts of a provider take turns': 'provider_key_name',
});

export const MODEL_CONFIG = leftOutKeys({
  [NOTE]: 'id scope scope_id calendar_aligned',
  'a budget belongs to an organisation, a user or a key': 'budget_id budget_ids',
});

export const GOVERNED_PROVIDER = leftOutKeys({
  [NOTE]: 'id description',
  'a budget belongs to an organisation, a user or a key': 'budget_id',
  'the section providers is read':
    'send_back_raw_request send_back_raw_response store_raw_request_response ' +
    'network_config proxy_config custom_provider_config concurrency_and_buffer_size openai_config',
});
