// Names the providers of an import: the vendor's name, with the host or the model behind it where two providers
// have the same vendor.

import { builtIn } from '../providers/built-in-providers.ts';
import { providerVariables, SECTION_VARIABLES } from '../schema/variables.ts';
import { type Deployment, isNative } from './deployment.ts';

/** A name has at most 32 characters; some remain for a number. */
const MAX_NAME = 28;

/** Adds the name to `taken`. */
export function nameProvider(deployments: readonly Deployment[], taken: Set<string>): string {
  const [first] = deployments;
  if (!first) throw new Error('a provider without deployments has no name');
  const { endpoint, baseUrl, model } = first;
  const isCompatible = endpoint.nativeFormat !== undefined && !isNative(first);
  const vendor = isCompatible ? `${endpoint.name}-openai` : endpoint.name;
  const models = new Set(deployments.map((each) => each.model));
  const host = baseUrl === undefined ? '' : slug(URL.parse(baseUrl)?.hostname.split('.')[0] ?? '');
  const isOwnAddress = baseUrl !== undefined && builtIn(vendor) !== undefined;
  const candidates = [
    ...statedName(first),
    ...(isOwnAddress ? [] : [vendor]),
    ...(host === '' ? [] : [`${vendor}-${host}`]),
    ...(models.size === 1 && model !== '*' ? [`${vendor}-${slug(model)}`] : []),
  ];
  const isFree = (name: string): boolean => !taken.has(name) && !isReserved(name);
  const shortened = candidates.map((name) => name.slice(0, MAX_NAME).replace(/-+$/, ''));
  let name = shortened.find(isFree);
  for (let count = 2; name === undefined; count += 1)
    name = [`${shortened.at(-1) ?? vendor}-${count}`].find(isFree);
  taken.add(name);
  return name;
}

/** The peer's name, unless it is a built-in provider's and the deployment belongs to another vendor or format. */
function statedName(deployment: Deployment): readonly string[] {
  const name = slug(deployment.provider ?? '');
  const { endpoint } = deployment;
  const isSameFormat = endpoint.nativeFormat === undefined || isNative(deployment);
  const isOthers = builtIn(name) !== undefined && !(name === endpoint.name && isSameFormat);
  return /^[a-z]/.test(name) && !isOthers ? [name] : [];
}

/** A provider's variable must not be a variable of a section (`DLQ_QUEUE`). */
function isReserved(name: string): boolean {
  return providerVariables(name).some((variable) => SECTION_VARIABLES.includes(variable));
}

export function slug(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '');
}
