// The documented keys of Portkey's configs, integrations, virtual keys, API keys and workspaces that have no counterpart.

import { leftOutKeys } from '../peer-map.ts';

const NO_CACHE = 'Spillway does not cache responses';
const NO_GUARDRAILS = 'Spillway has no guardrails and hooks; requests and responses pass unchanged';
const NO_PARAMETERS = 'Spillway forwards requests unchanged; send it in the request';
const CLOUD = 'credentials of a cloud platform are not supported; use an API key';
const HEADERS = 'headers of callers are not forwarded, except the documented ones';
const NOTE = 'a note of Portkey';

export const CONFIG = leftOutKeys({
  [NO_CACHE]: 'cache',
  [NO_GUARDRAILS]:
    'before_request_hooks after_request_hooks input_guardrails output_guardrails default_input_guardrails ' +
    'default_output_guardrails guardrails',
  [NO_PARAMETERS]: 'default_params drop_params strict_open_ai_compliance prompt_id metadata',
  [HEADERS]:
    'forward_headers openai_organization openai_project openai_beta anthropic_beta anthropic_version',
  [CLOUD]:
    'aws_access_key_id aws_secret_access_key aws_session_token aws_region aws_auth_type aws_role_arn aws_external_id ' +
    'aws_s3_bucket aws_s3_object_key aws_bedrock_model aws_server_side_encryption ' +
    'aws_server_side_encryption_kms_key_id aws_service foundation_model vertex_project_id vertex_region ' +
    'vertex_service_account_json vertex_storage_bucket_name vertex_model_name vertex_batch_endpoint ' +
    'azure_auth_mode azure_managed_client_id azure_workload_client_id azure_entra_client_id azure_entra_client_secret ' +
    'azure_entra_tenant_id azure_entra_scope azure_ad_token ad_auth azure_region azure_deployment_type ' +
    'azure_endpoint_name azure_foundry_url azure_extra_parameters oracle_api_version oracle_region ' +
    'oracle_compartment_id oracle_serving_mode oracle_tenancy oracle_user oracle_fingerprint oracle_private_key ' +
    'oracle_key_passphrase snowflake_account workers_ai_account_id fireworks_account_id fireworks_file_length ' +
    'huggingface_base_url stability_client_id stability_client_user_id stability_client_version ' +
    'amzn_sagemaker_custom_attributes amzn_sagemaker_target_model amzn_sagemaker_target_variant ' +
    'amzn_sagemaker_target_container_hostname amzn_sagemaker_inference_id amzn_sagemaker_enable_explanations ' +
    'amzn_sagemaker_inference_component amzn_sagemaker_session_id amzn_sagemaker_model_name mistral_fim_completion ' +
    'anthropic_api_key transform_to_form_data filename',
  "Azure's v1 API needs no version": 'api_version azure_api_version',
  'the alias names the deployment': 'deployments azure_model_name',
  'prices.models sets prices': 'model_pricing_config',
  'it belongs to the strategy fallback': 'on_status_codes',
  'every target of an alias is reached through its provider': 'url_to_fetch',
});

export const TARGET_ONLY = leftOutKeys({
  'retries apply to all providers: retry in spillway.yaml': 'retry',
  'timeouts apply to all providers: timeouts in spillway.yaml': 'request_timeout',
  'circuits are configured for all providers: breaker in spillway.yaml': 'cb_config',
});

/** `override_params` may contain any field of a request's body; only the model changes the route. */
export const OVERRIDE_REASON = NO_PARAMETERS;

export const STRATEGY = leftOutKeys({
  'circuits are configured for all providers: breaker in spillway.yaml': 'cb_config',
  'calls are not tied to one target': 'sticky',
});

export const DOCUMENT = leftOutKeys({
  [NO_GUARDRAILS]: 'plugins_enabled',
  'credentials of plugins are not used': 'credentials',
  [NO_CACHE]: 'cache',
  'Spillway generates an admin key, or reads SPILLWAY_ADMIN_KEY': 'admin_token',
  [NOTE]: 'object success total has_more',
});

export const CONFIG_ENVELOPE = leftOutKeys({
  [NOTE]:
    'id slug object organisation_id workspace_id owner_id owner_updated_by updated_by created_at last_updated_at ' +
    'status format type version_id is_default',
});

export const VAULT_ENTRY = leftOutKeys({
  [NOTE]:
    'id name description note object organisation_id workspace_id organisation created_at last_updated_at ' +
    'is_default secret_mappings global_workspace_access_settings workspaces allow_all_models workspace_count ' +
    'integration_id ai_provider_name expires_at reset_usage next_usage_reset_at',
  [CLOUD]: 'configurations model_config',
  "Azure's v1 API needs no version": 'deployment_config api_version',
  'an account of a provider has no budget; set a budget for the organisation or the key':
    'usage_limits',
});

export const VAULT_MODEL = leftOutKeys({
  'prices.models sets prices': 'pricing_config',
  [NOTE]: 'id name type canonical_slug is_custom is_finetune base_model_slug',
});

export const API_KEY = leftOutKeys({
  'Spillway has keys of its own; this command creates one': 'key',
  [NOTE]:
    'id description type sub_type object organisation_id user_id created_at last_updated_at creation_mode reset_usage ' +
    'last_reset_at next_usage_reset_at created_by workspace',
  'scopes of Portkey do not apply; the key may call models, submit jobs and read events': 'scopes',
  'callers name the alias of the config as their model': 'defaults',
  'alerts are log entries': 'alert_emails',
  'revoke the key here too if it is not active': 'status',
});

export const WORKSPACE = leftOutKeys({
  [NOTE]:
    'id description object created_at last_updated_at is_default icon organisation_id status users input_guardrails ' +
    'output_guardrails security_settings workspace_id',
  'callers name the alias of the config as their model': 'defaults',
});

export const USAGE = leftOutKeys({
  'alerts are log entries at 50, 80, 90 and 100 %': 'alert_threshold',
  [NOTE]:
    'id object status next_usage_reset_at current_usage is_exhausted is_threshold_alerts_sent unit',
});
