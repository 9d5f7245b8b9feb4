// Reads the aliases and models of the file.

import type { AliasConfig, AliasTarget, ModelConfig } from './config.ts';
import { showName, wrongValue } from './config-error.ts';
import { withoutPrototype } from './lookup.ts';
import type { ReadContext } from './providers/read-providers.ts';
import type { TableInput } from './read-rows.ts';
import { inFile, parse, readRows } from './read-rows.ts';
import type { Kind } from './schema/kind.ts';
import { ALIAS_ROWS, aliasName, MODEL_ROWS, modelName } from './schema/named-settings.ts';
import { asMap } from './sources.ts';

export function readAliases(context: ReadContext): Record<string, AliasConfig> {
  return readNamed(context, 'aliases', aliasName, (name, input) => {
    const { strategy, targets, weights, fallbacks, translate } = readRows(ALIAS_ROWS, input);
    if (targets === undefined || targets.length === 0)
      throw wrongValue(inFile(input, `${input.path}.targets`), 'empty', 'a list of provider/model');
    return {
      name,
      strategy,
      targets: targets.map(splitTarget),
      weights,
      fallbacks: fallbacks.map(splitTarget),
      translate,
    };
  });
}

export function readModels(context: ReadContext): Record<string, ModelConfig> {
  return readNamed(context, 'models', modelName, (_, input) => readRows(MODEL_ROWS, input));
}

function readNamed<T>(
  context: ReadContext,
  section: string,
  kind: Kind<string>,
  read: (name: string, input: TableInput) => T,
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

/** Splits at the first slash: model names may contain slashes. */
function splitTarget(target: string): AliasTarget {
  const slash = target.indexOf('/');
  return { provider: target.slice(0, slash), model: target.slice(slash + 1) };
}
