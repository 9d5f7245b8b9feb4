// Checks the numbers of a policy's options when the policy is made, so that a mistake fails at its place and not at the
// first outage.

export type NumberRule = {
  readonly min: number;
  readonly max?: number;
  readonly isWhole?: boolean;
};

/** Throws a RangeError for the first option that breaks its rule; an absent option keeps its default. */
export function checkNumbers<Name extends string>(
  policy: string,
  options: Readonly<Partial<Record<NoInfer<Name>, unknown>>>,
  rules: Readonly<Record<Name, NumberRule>>,
): void {
  for (const name in rules) {
    const value = options[name];
    if (value !== undefined && !isWithin(value, rules[name]))
      throw new RangeError(`${policy}: ${name} must be ${describe(rules[name])}.`);
  }
}

function isWithin(value: unknown, { min, max = Infinity, isWhole = false }: NumberRule): boolean {
  if (typeof value !== 'number' || Number.isNaN(value)) return false;
  return value >= min && value <= max && (!isWhole || Number.isInteger(value));
}

function describe({ min, max, isWhole = false }: NumberRule): string {
  const kind = isWhole ? 'a whole number' : 'a number';
  return max === undefined ? `${kind} of ${min} or more` : `${kind} from ${min} to ${max}`;
}
