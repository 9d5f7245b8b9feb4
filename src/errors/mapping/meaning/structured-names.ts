// The providers' closed lists of error types, codes, reasons, exception classes and system error codes, with
// their meanings. `firm` names outrank text. `loose` names have several meanings (a `rate_limit_error` may be
// an exhausted plan), so text outranks them. `vague` names fit nearly any failure (an `invalid_request_error`
// may be a bad key), so the status outranks them too.

import type { Decided, Meaning } from './meanings.ts';

export type NameTrust = 'firm' | 'loose' | 'vague';

/** A name and its meaning at each level of trust. */
export type KnownName = { readonly name: string } & Readonly<
  Record<NameTrust, Decided | undefined>
>;

/**
 * Looks a name up. `ThrottlingException:http://…`, `com.amazon.coral#ThrottlingException`,
 * `throttling_exception` and `ThrottlingException` are the same name.
 */
export function knownName(spelling: string): KnownName | undefined {
  const known = namesBySpelling.get(spelling);
  if (known !== undefined) return known === 'unknown' ? undefined : known;
  const found = NAMES.get(plainName(spelling));
  // Callers may choose names: only short ones are cached.
  if (namesBySpelling.size < MAX_CACHED_NAMES && spelling.length <= MAX_CACHED_LENGTH) {
    namesBySpelling.set(spelling, found ?? 'unknown');
  }
  return found;
}

/** Stop reasons that are refusals; all others (`stop`, `length`) are not failures. */
export function isRefusal(outcome: string): boolean {
  return REFUSALS.has(plainName(outcome));
}

type NameTable = Readonly<Partial<Record<Meaning, string>>>;

const FIRM: NameTable = {
  unknown: `ENOENT EACCES EPERM EISDIR ENOTDIR EEXIST EMFILE ENOSPC MODULE_NOT_FOUND ERR_MODULE_NOT_FOUND
    ERR_INVALID_ARG_TYPE ERR_INVALID_URL ReferenceError`,
  quota: `billing insufficient_quota billing_hard_limit_reached billing_not_active insufficient_credits
    enforced_spend_limit_reached credit_balance_too_low exceeded_current_quota insufficient_balance
    insufficient_user_quota arrearage budget_exceeded spend_limit_reached free_tier_exhausted
    AllocationQuota.FreeTierOnly QUOTA_EXHAUSTED usage_not_included payment_required out_of_credits CreditsError balance_depleted AccountOverdue
    personal-team-blocked:spending-limit INSUFFICIENT_G1_CREDITS_BALANCE usage_limit_exceeded 1113`,
  limit: `usage_limit_reached ServiceQuotaExceeded dailyLimitExceeded workspace_limit_reached
    weekly_limit_reached monthly_limit_reached MonthlyLimit SubscriptionUsageLimit 1304 1308 1310`,
  loop: 'LOOP_DETECTED',
  throttle: 'Throttling Throttling.RateQuota Throttling.AllocationQuota Throttling.User',
  overloaded: `overloaded engine_overloaded server_overloaded server_is_overloaded model_overloaded
    MODEL_CAPACITY_EXHAUSTED MODEL_CAPACITY_EXCEEDED NoCapacity capacity_exceeded service_tier_capacity_exceeded ModelNotReady
    provider_overloaded model_loading server_busy 1305 1312`,
  credentials: `authentication AuthError invalid_api_key invalid_authentication API_KEY_INVALID account_deactivated
    API_KEY_SERVICE_BLOCKED API_KEY_HTTP_REFERRER_BLOCKED API_KEY_IP_ADDRESS_BLOCKED SERVICE_DISABLED
    CREDENTIALS_MISSING ACCESS_TOKEN_EXPIRED ACCESS_TOKEN_SCOPE_INSUFFICIENT CONSUMER_INVALID
    CONSUMER_SUSPENDED VALIDATION_REQUIRED UNSUPPORTED_LOCATION invalid_organization invalid_project
    UNAUTHENTICATED UnrecognizedClient InvalidSignature ExpiredToken IncompleteSignature
    MissingAuthenticationToken InvalidClientTokenId CredentialsProvider TokenProvider InvalidApiKey
    unsupported_country_region_territory invalid_grant invalid_token token_expired token_revoked
    token_invalidated invalid_issuer ip_not_authorized organization_disabled account_suspended
    AI_LoadAPIKey LoadAPIKey missing_api_key api_key_revoked api_key_deleted api_key_expired no_auth_credentials deactivated_workspace
    SUBSCRIPTION_REQUIRED IAM_PERMISSION_DENIED wrong_api_key key_not_found refresh_token_reused organization_restricted NoCredentials organization_deactivated`,
  policy: `content_filter content_policy_violation ResponsibleAIPolicyViolation moderation_blocked
    content_filtered content_policy policy_violation data_inspection_failed DataInspectionFailed safety
    ContentPolicyViolation cyber_policy cyber_policy_violation content_moderation moderation
    sensitive_content 1301 bio_policy image_content_policy_violation guardrail_intervened`,
  too_long: `context_length_exceeded context_window_exceeded ContextWindowExceeded prompt_too_long
    exceed_context_size max_context_length_exceeded input_too_long context_too_long 1261
    model_context_window_exceeded context_length`,
  too_large: `request_too_large payload_too_large RequestEntityTooLarge content_too_large
    UND_ERR_REQ_CONTENT_LENGTH_MISMATCH_TOO_LARGE image_too_large file_too_large FST_ERR_CTP_BODY_TOO_LARGE`,
  slow: `timeout DEADLINE_EXCEEDED ModelTimeout user_request_timeout ETIMEDOUT ESOCKETTIMEDOUT
    APIConnectionTimeout ReadTimeout PoolTimeout APITimeout ERR_TIMED_OUT ERR_SOCKET_CONNECTION_TIMEOUT SocketTimeout
    ERR_TLS_HANDSHAKE_TIMEOUT request_timeout
    gateway_timeout WriteTimeout upstream_timeout ERR_HTTP_REQUEST_TIMEOUT`,
  unanswered: 'UND_ERR_HEADERS_TIMEOUT HeadersTimeout',
  idle: 'UND_ERR_BODY_TIMEOUT BodyTimeout stream_idle_timeout',
  connect: `ECONNREFUSED ENOTFOUND EAI_AGAIN EAI_FAIL EAI_NODATA ENETUNREACH EHOSTUNREACH EHOSTDOWN
    ENETDOWN EADDRNOTAVAIL UND_ERR_CONNECT_TIMEOUT ConnectTimeout ConnectionRefused gaierror
    NewConnection NameResolution MaxRetry ECONNABORTED EHOSTDOWN ERR_NAME_NOT_RESOLVED ERR_CONNECTION_REFUSED
    ERR_INTERNET_DISCONNECTED ERR_CONNECTION_TIMED_OUT UnknownHost ConnectError ERR_ADDRESS_UNREACHABLE
    ERR_PROXY_CONNECTION_FAILED ERR_TUNNEL_CONNECTION_FAILED EPROTO ERR_SSL_WRONG_VERSION_NUMBER FailedToOpenSocket`,
  lost: `ECONNRESET EPIPE UND_ERR_SOCKET Socket ERR_STREAM_PREMATURE_CLOSE PREMATURE_CLOSE
    RemoteProtocol IncompleteRead ChunkedEncoding ServerDisconnected ClientOSError ConnectionReset
    ERR_HTTP2_STREAM_ERROR ERR_HTTP2_GOAWAY_SESSION ERR_HTTP2_SESSION_ERROR ERR_HTTP2_STREAM_CANCEL
    ERR_CONNECTION_RESET ERR_CONNECTION_CLOSED ERR_NETWORK ERR_NETWORK_CHANGED BrokenPipe Protocol
    UND_ERR_CLOSED UND_ERR_DESTROYED ENOTCONN ConnectionClosed HPE_INVALID_CONSTANT
    HPE_INVALID_CHUNK_SIZE UND_ERR_RES_CONTENT_LENGTH_MISMATCH ERR_INCOMPLETE_CHUNKED_ENCODING
    ERR_QUIC_PROTOCOL_ERROR stream_error stream_read terminated EOF ReadError WriteError SSLEOF ERR_EMPTY_RESPONSE ERR_SOCKET_CLOSED
    ERR_HTTP2_PROTOCOL_ERROR ERR_SSL_PROTOCOL_ERROR ERR_HTTP2_INVALID_SESSION ENETRESET network_error Connection APIConnection ERR_STREAM_DESTROYED ERR_STREAM_WRITE_AFTER_END`,
  untrusted: `SELF_SIGNED_CERT_IN_CHAIN DEPTH_ZERO_SELF_SIGNED_CERT UNABLE_TO_VERIFY_LEAF_SIGNATURE
    UNABLE_TO_GET_ISSUER_CERT UNABLE_TO_GET_ISSUER_CERT_LOCALLY CERT_HAS_EXPIRED CERT_NOT_YET_VALID
    ERR_TLS_CERT_ALTNAME_INVALID CERT_UNTRUSTED CERT_REVOKED CERT_REJECTED HOSTNAME_MISMATCH
    INVALID_CA CERT_SIGNATURE_FAILURE SSLCertVerification ERR_CERT_AUTHORITY_INVALID
    ERR_CERT_DATE_INVALID ERR_PROXY_AUTH_REQUESTED ERR_CERT_COMMON_NAME_INVALID CertificateVerify UnknownIssuer`,
  aborted: `Abort APIUserAbort ABORT_ERR UND_ERR_ABORTED CANCELLED request_cancelled ERR_CANCELED Canceled
    Cancelled ResponseAborted client_closed_request`,
};

const LOOSE: NameTable = {
  throttle: `rate_limit rate_limit_exceeded rate_limit_reached rate_limited rateLimitExceeded
    rate_limit_event userRateLimitExceeded RateLimitReached RESOURCE_EXHAUSTED Throttled
    TooManyRequests too_many_requests tokens requests ProvisionedThroughputExceeded RequestLimitExceeded
    LimitRequests concurrency_limit_exceeded
    limit_requests limit_burst_rate slow_down 1300 1302 1303`,
  limit: 'quotaExceeded quota_exceeded FreeUsageLimit UserLimit rejected SetLimitExceeded',
  overloaded: 'UNAVAILABLE ServiceUnavailable service_unavailable 1234',
  credentials: `permission PERMISSION_DENIED permission_denied PermissionDenied AccessDenied access_denied
    forbidden Forbidden Unauthorized unauthorized request_forbidden NotAuthorized insufficient_permissions
    access_terminated BILLING_DISABLED permission-denied model_terms_required model_permission_blocked`,
};

const VAGUE: NameTable = {
  invalid: `invalid_request INVALID_ARGUMENT FAILED_PRECONDITION OUT_OF_RANGE NOT_FOUND not_found
    Validation ResourceNotFound model_not_found DeploymentNotFound BadRequest bad_request NotFound
    unsupported_parameter unsupported_value unknown_parameter invalid_value invalid_type
    missing_required_parameter invalid_image UNIMPLEMENTED ALREADY_EXISTS UnprocessableEntity
    OperationNotSupported invalid_model InvalidParameter unsupported_model INVALID_REQUEST_BODY
    invalid_function_parameters json_validate_failed tool_use_failed invalid_prompt value_error
    string_too_short string_too_long missing json_invalid previous_response_not_found invalid_json
    image_generation_user NoSuchModel AI_NoSuchModel InvalidPrompt AI_InvalidPrompt extra_forbidden
    UnsupportedFunctionality AI_UnsupportedFunctionality InvalidArgument AI_InvalidArgument unknown_model
    model_not_supported invalid_parameter invalid_request_body string_above_max_length invalid_base64
    array_above_max_length integer_below_min_value integer_above_max_value unsupported_media_type
    model_decommissioned DeploymentModelNotSupported parse MethodNotAllowed invalid_encrypted_content
    unsupported_api_for_model invalid_schema UnsupportedParams JSONDecode 1210 1211 1214 2013`,
  failed: `api server server_error internal internal_error InternalServer internal_server_error INTERNAL
    ModelError ModelStreamError upstream_error BadGateway bad_gateway provider_error InternalFailure
    UNKNOWN DATA_LOSS EmptyResponseBody AI_EmptyResponseBody JSONParse AI_JSONParse backend
    upstream server_internal processing vector_store_error dependency_failed response_failed
    AI_NoOutputGenerated`,
};

const REFUSALS: ReadonlySet<string> = new Set(
  [
    'content_filter safety prohibited_content blocklist recitation spii image_safety refusal other',
    'image_prohibited_content language guardrail_intervened content_filtered image_recitation',
  ]
    .join(' ')
    .split(' ')
    .map(plainName),
);

const UNHEARD = { firm: undefined, loose: undefined, vague: undefined };

const NAMES: ReadonlyMap<string, KnownName> = indexed({ firm: FIRM, loose: LOOSE, vague: VAGUE });

// A memo: providers use the same few names.
const namesBySpelling = new Map<string, KnownName | 'unknown'>();
const MAX_CACHED_NAMES = 2_000;
const MAX_CACHED_LENGTH = 100;

function indexed(tables: Readonly<Record<NameTrust, NameTable>>): Map<string, KnownName> {
  const index = new Map<string, KnownName>();
  for (const [trust, table] of Object.entries(tables)) {
    for (const [meaning, names] of Object.entries(table)) {
      for (const name of names.split(/\s+/).map(plainName)) {
        const decided = { meaning, rule: `name: ${name}` };
        index.set(name, { ...(index.get(name) ?? { name, ...UNHEARD }), [trust]: decided });
      }
    }
  }
  index.delete('');
  return index;
}

function plainName(spelling: string): string {
  const [local = ''] = spelling.slice(spelling.lastIndexOf('#') + 1).split(':', 1);
  const letters = local.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
  return letters.replace(/(?:exception|error)+$/, '');
}
