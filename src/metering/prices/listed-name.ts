// Decides whether a name that the price package matches is the listed model itself. The package matches many models by a part
// of their names, so that it prices `claude-opus-4-10` as `claude-opus-4-1` and `gemini-3.8-flash-ultra` as
// `gemini-3.8-flash`. Such a name may be a dearer model of the family: it has no price until the operator states one.
// Around the matched part only a vendor's prefix, a date, a revision and words that do not change the price are accepted.

/** A rule of the package: `{ equals }`, `{ starts_with }`, `{ or: [ … ] }` and so on. */
type Rule = Readonly<Record<string, unknown>>;

export function isListedName(
  model: string,
  { id, match }: { readonly id: string; readonly match: unknown },
): boolean {
  return model === id || isNamedBy(match, model.toLowerCase());
}

function isNamedBy(rule: unknown, model: string): boolean {
  return Object.entries(isRule(rule) ? rule : {}).some(([kind, value]) => {
    // All rules of an `and` match; one of them has to account for the whole name.
    if (Array.isArray(value)) return value.some((each) => isNamedBy(each, model));
    return typeof value === 'string' && accountsFor(model, kind, value.toLowerCase());
  });
}

function isRule(value: unknown): value is Rule {
  return typeof value === 'object' && value !== null;
}

function accountsFor(model: string, kind: string, text: string): boolean {
  if (kind === 'equals') return model === text;
  const matched = kind === 'regex' ? matchedBy(text, model) : text;
  const at = kind === 'ends_with' ? model.lastIndexOf(matched) : model.indexOf(matched);
  if (matched === '' || at < 0) return false;
  const [before, behind] = [model.slice(0, at), model.slice(at + matched.length)];
  return VENDOR.test(before) && isRevision(matched, behind);
}

function matchedBy(pattern: string, model: string): string {
  return new RegExp(pattern).exec(model)?.[0] ?? '';
}

/** `anthropic/`, `eu.anthropic.`, `publishers/google/models/`. */
const VENDOR = /^(?:[\w-]+[/.])*$/;

function isRevision(matched: string, behind: string): boolean {
  // The owner of a fine-tuned model chooses the end of its name.
  if (/^ft:|\.ft-$/.test(matched)) return true;
  if (/[-@:._]$/.test(matched)) return REVISION.test(`-${behind}`);
  const [digits = ''] = /^\d*/.exec(behind) ?? [];
  const [start = ''] = /\d*$/.exec(matched) ?? [];
  const isWhole = digits === '' || DATE_DIGITS.has(start.length + digits.length);
  return isWhole && REVISION.test(behind.slice(digits.length));
}

/** `001`, `0514`, `20250514`; fewer digits are another version. */
const DATE_DIGITS: ReadonlySet<number> = new Set([3, 4, 8]);

const REVISION =
  /^(?:[-@:._](?:\d{8}|\d{4}-\d\d-\d\d|\d\d-\d\d(?:-\d{4})?|\d\d-\d{4}|\d{3,4}|v\d+(?::\d+)?|latest|default|preview|exp|experimental|beta|stable|customtools|instruct|chat|it|hf|maas|versatile|instant|fp8|bf16|\d+(?:\.\d+)?b))*(?::\d+)?$/;
