// Removes secrets from a provider's raw text before an operator or developer sees it: configured keys
// literally, and everything shaped like a credential. Pure, linear, and usable in a browser. False positives
// are accepted: a harmless word may be hidden, a key may not pass. Redacted text is still not for callers.

export const REDACTED = '[redacted]';

export type Redact = (text: string) => string;

/**
 * `secrets` are the configured keys. Keys under six characters are skipped: they would hide half of every
 * text.
 */
export function createRedactor(secrets: Iterable<string>): Redact {
  const known = [...new Set([...secrets].filter(isLongEnough).flatMap(spellings))];
  known.sort((one, other) => other.length - one.length);
  return (text) => redactShapes(redactKnown(text, known));
}

const MIN_SECRET = 6;

function isLongEnough(secret: string): boolean {
  return secret.length >= MIN_SECRET;
}

/** The literal secret, its JSON-escaped form and its URL-encoded form. */
function spellings(secret: string): readonly string[] {
  return [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret.toWellFormed())];
}

function redactKnown(text: string, known: readonly string[]): string {
  let safe = text;
  for (const secret of known) {
    safe = withoutCutEnd(safe.replaceAll(secret, REDACTED), secret);
  }
  return safe;
}

/**
 * A raw failure is cut at a maximum length, and the cut may go through a key: the key's prefix at the end is
 * hidden too.
 */
function withoutCutEnd(text: string, secret: string): string {
  for (let length = secret.length - 1; length >= MIN_SECRET; length -= 1) {
    if (text.endsWith(secret.slice(0, length))) return text.slice(0, -length) + REDACTED;
  }
  return text;
}

function redactShapes(text: string): string {
  return SHAPES.reduce((safe, [shape, kept]) => safe.replace(shape, `${kept}${REDACTED}`), text);
}

/** A pattern and its replacement. No pattern can backtrack over more than a few characters. */
const SHAPES: readonly (readonly [RegExp, string])[] = [
  // A private key, up to its end marker or the end of the text.
  [/-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----(?:[^-]|-(?!----END))*/g, ''],
  // User names and passwords in a URL.
  [/(:\/\/)[^\s/@"'<>]{1,400}@/g, '$1'],
  [/\b(bearer)[ \t:]{1,8}[^\s"',;<>\\]+/gi, '$1 '],
  [/\b(basic) {1,8}[A-Za-z0-9+/=_-]{8,}/gi, '$1 '],
  // A JSON Web Token, complete or cut.
  [/eyJ[\w-]{8,}(?:\.[\w-]*){0,4}/g, ''],
  [/AIza[\w-]{8,}/g, ''],
  [/ya29\.[\w.-]{8,}/g, ''],
  [/(?:AKIA|ASIA|AROA|AIDA)[0-9A-Z]{8,}/g, ''],
  [/(?:sk|pk|rk)-(?:ant|proj|or|spill|svcacct|admin|lf)-[\w*.-]+/g, ''],
  [/(?<![A-Za-z0-9])(?:sk|pk|rk|gsk|csk|xai|pplx|nvapi|adm|glpat|whsec)[-_][\w*.-]{4,}/g, ''],
  [/(?<![A-Za-z0-9])(?:hf|r8|fw|tgp|ghp|gho|ghs|github_pat|xox[abeoprs])[-_][\w-]{8,}/g, ''],
  [/\b(key provided: ?)[^\s"'<>]+/gi, '$1'],
  // A value under a name that announces a secret: key=…, "x-api-key": "…", password: …; escaped quotes
  // included.
  [
    /((?:key|token|secret|passw(?:or)?d|authorization|credentials?|signature|cookie|session)\\{0,3}["']?\s{0,4}[:=]\s{0,4}\\{0,3}["']?)[^\s"'&,;<>}\]\\]+/gi,
    '$1',
  ],
];
