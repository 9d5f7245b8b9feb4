// Reads what else has names in the file: aliases and models.

import type { AliasConfig, AliasTarget, ModelConfig } from './config.ts';
import { showName, wrongValue } from './config-error.ts';
import { withoutPrototype } from './lookup.ts';
import type { ReadContext } from './providers/read-providers.ts';
import type { Place } from './read-rows.ts';
import { inFile, parse, readRows } from './read-rows.ts';
import type { Kind } from './schema/kind.ts';
import { ALIAS_ROWS, aliasName, MODEL_ROWS, modelName } from './schema/named-settings.ts';
import { asMap } from './sources.ts';

export function readAliases(context: ReadContext): Record<string, AliasConfig> {
  return readNamed(context, 'aliases', aliasName, (name, place) => {
    const { strategy, targets } = readRows(ALIAS_ROWS, place);
    if (targets === undefined || targets.length === 0)
      throw wrongValue(inFile(place, `${place.path}.targets`), 'empty', 'a list of provider/model');
    return { name, strategy, targets: targets.map(splitTarget) };
  });
}

export function readModels(context: ReadContext): Record<string, ModelConfig> {
  return readNamed(context, 'models', modelName, (_, place) => readRows(MODEL_ROWS, place));
}

function readNamed<T>(
  context: ReadContext,
  section: string,
  kind: Kind<string>,
  read: (name: string, place: Place) => T,
): Record<string, T> {
  const given = asMap(inFile(context, section), context.sources.file[section]);
  const named: Record<string, T> = withoutPrototype({});
  for (const [name, value] of Object.entries(given)) {
    const path = `${section}.${showName(name)}`;
    parse(kind, inFile(context, `the name of ${path}`), name);
    named[name] = read(name, { ...context, path, given: value });
  }
  return named;
}

/** Only the first slash divides: names of models may have slashes of their own. */
function splitTarget(target: string): AliasTarget {
  const slash = target.indexOf('/');
  return { provider: target.slice(0, slash), model: target.slice(slash + 1) };
}
