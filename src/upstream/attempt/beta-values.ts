// The values of `anthropic-beta` that reach the provider. A beta can change what a call costs (fast mode, another model as
// adviser, tools within a message), so values pass by an allow-list. Any other value is dropped: without it the provider
// refuses the fields that belong to it, and clients that send betas ahead of time still work. A beta that only permits fields
// of a request is on the list if they cost their tokens alone, or if the body's own checks price or refuse them: of code
// execution the tool, of skills the container. Pure.

/** Names without their date. */
const ALLOWED: ReadonlySet<string> = new Set([
  'adaptive-thinking',
  'advanced-tool-use',
  'afk-mode',
  'auto-mode-classifier',
  'cache-diagnosis',
  'claude-code',
  'claude-code-side-query',
  'code-execution',
  'code-execution-web-tools',
  'compact',
  'computer-use',
  'context-1m',
  'context-management',
  'dangerous-tool-use',
  'effort',
  'extended-cache-ttl',
  'files-api',
  'fine-grained-tool-streaming',
  'inline-tools',
  'interleaved-thinking',
  'max-tokens-3-5-sonnet',
  'mcp-client',
  'mid-conversation-output-config',
  'mid-conversation-system',
  'mid-conversation-system-clear-at',
  'mid-conversation-tool-changes',
  'model-context-window-exceeded',
  'oauth',
  'output-128k',
  'pdfs',
  'per-turn-control',
  'prompt-caching',
  'prompt-caching-scope',
  'redact-thinking',
  'search-results',
  'skills',
  'structured-outputs',
  'task-budgets',
  'thinking-binding-controls',
  'thinking-display-updates',
  'thinking-resumption',
  'thinking-token-count',
  'timing',
  'token-counting',
  'token-efficient-tools',
  'tool-examples',
  'tool-search-tool',
  'web-fetch',
  'web-search',
]);

/** The header's value to send; undefined when no value is left. */
export function allowedBetas(value: string, alsoAllowed: ReadonlySet<string>): string | undefined {
  const kept = value
    .split(',')
    .map((each) => each.trim())
    .filter((each) => ALLOWED.has(withoutDate(each)) || isListed(each, alsoAllowed));
  return kept.length > 0 ? kept.join(',') : undefined;
}

/** The window is then larger than the model's own. */
export function asksForLongContext(value: string | string[] | undefined): boolean {
  return typeof value === 'string' && value.includes('context-1m');
}

function isListed(beta: string, alsoAllowed: ReadonlySet<string>): boolean {
  return alsoAllowed.has(beta) || alsoAllowed.has(withoutDate(beta));
}

function withoutDate(beta: string): string {
  return beta.replace(/-\d{4}-\d\d-\d\d$|-\d{8}$/, '');
}
