// The label of a model in metrics. Callers choose model names, so only names that the operator or the maintained price
// list knows become labels; all others share `other`. A version of a known model (`claude-sonnet-4-5-20250929`) has its
// own label, up to a bound, because callers can invent versions.

export type ModelLabel = (model: string) => string;

export const OTHER_MODEL = 'other';

const MAX_VERSIONS = 100;

/** `-20250929`, `-001`, `@20250929`, `-latest`, `-preview`: any number of them. */
const VERSION = /(?:[-@.](?:\d{1,8}|latest|preview|exp))+$/;

export function createModelLabel(known: ReadonlySet<string>): ModelLabel {
  const versions = new Set<string>();
  return (model) => {
    if (known.has(model) || versions.has(model)) return model;
    if (versions.size >= MAX_VERSIONS || !isVersionOf(known, model)) return OTHER_MODEL;
    versions.add(model);
    return model;
  };
}

/** True if some part of the trailing version can be removed so that a known name remains. */
function isVersionOf(known: ReadonlySet<string>, model: string): boolean {
  const start = model.length - (VERSION.exec(model)?.[0].length ?? 0);
  for (let end = model.length; end > start; ) {
    end = Math.max(
      model.lastIndexOf('-', end - 1),
      model.lastIndexOf('@', end - 1),
      model.lastIndexOf('.', end - 1),
    );
    if (end >= start && known.has(model.slice(0, end))) return true;
  }
  return false;
}
