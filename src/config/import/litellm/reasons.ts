// Why Spillway leaves out keys of LiteLLM's config.yaml, in the words of the report.

export const NO_CACHE = 'Spillway does not cache responses';
export const NO_GUARDRAILS = 'Spillway has no guardrails; requests and responses pass unchanged';
export const NO_MCP = 'Spillway has no MCP gateway and no tools of its own';
export const NO_PARAMETERS = 'Spillway forwards requests unchanged; send it in the request';
export const OWN_KEYS = 'Spillway has keys of its own: spillway keys create';
export const OWN_STORE =
  'Spillway needs a database of its own: DATABASE_URL, or SQLite in the data folder';
export const OWN_REDIS = 'set REDIS_URL to share limits among servers';
export const LOGS = 'logs are JSON lines on stdout without prompts; there are no callbacks';
export const METRICS = 'metrics are at /metrics; their labels are fixed';
export const ALERTS = 'alerts are log entries; see docs/limits-and-money.md';
export const NO_UI = 'there is no admin user interface; use spillway --help or the admin API';
export const SSO = 'Spillway authenticates callers by keys only';
export const CAPABILITY = 'capabilities are not checked; the provider refuses what it cannot do';
export const NO_PROBES = 'Spillway makes no paid health checks; circuits follow real calls';
export const NOT_A_LIMIT = 'a limit of Spillway belongs to an account, a key or an organisation';
export const PRICE_KIND = 'prices.models has no price of this kind';
export const CLOUD = 'credentials of a cloud platform are not supported; use an API key';
export const ROUTER = 'Spillway has no router of this kind';
export const NO_BUDGET_HERE = 'a budget belongs to an organisation, a user or a key';
export const WRITE_PATH = 'usage is written by a local journal; there is nothing to configure';
export const HEADERS = 'headers of callers are not forwarded, except the documented ones';
export const OWN_ROUTES = 'the routes of Spillway are fixed; see docs/endpoints.md';
export const SECRETS = 'keys come from environment variables; let the secret manager set them';
