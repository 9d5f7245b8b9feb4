// The names of a request's fields that raise its cost beyond its own bytes, by format, and the fields whose content is free-form.
// Names are decoded before they are compared, and a known name in another case is a problem.

import type { ProviderFormat } from '../../kernel/provider-format.ts';
import { NameTable } from './name-table.ts';
import { isPlain } from './scan.ts';
import type { JsonKeys } from './walk-keys.ts';

type Meaning =
  | 'file'
  | 'fileUrl'
  | 'fileData'
  | 'url'
  | 'image'
  | 'media'
  | 'mediaType'
  | 'audio'
  | 'lifetime'
  | 'stored'
  | 'skill'
  | 'spoken'
  | 'tool'
  | 'resumed';

const MEANINGS: Readonly<Record<ProviderFormat, readonly (readonly [string, Meaning])[]>> = {
  anthropic: [
    ['file_id', 'file'],
    ['url', 'url'],
    ['ttl', 'lifetime'],
    ['container', 'stored'],
    ['skill_id', 'skill'],
    ['media_type', 'mediaType'],
    // Of a tool that a message adds in the middle of a conversation.
    ['definition', 'tool'],
  ],
  openai: [
    ['file_id', 'file'],
    ['file_ids', 'stored'],
    ['file_url', 'fileUrl'],
    ['file_data', 'fileData'],
    // Parts of compatible providers.
    ['document_url', 'fileData'],
    ['audio_url', 'fileData'],
    ['video_url', 'fileData'],
    ['video', 'fileData'],
    // Of Gemini's endpoint in this format.
    ['cached_content', 'file'],
    ['ttl', 'lifetime'],
    ['image_url', 'image'],
    ['input_audio', 'audio'],
    ['audio', 'spoken'],
    ['vector_store_ids', 'stored'],
    ['container', 'stored'],
    ['skill_id', 'skill'],
  ],
  // Google's parser also accepts the snake_case names of its protocol definitions.
  gemini: [
    ['fileUri', 'fileUrl'],
    ['file_uri', 'fileUrl'],
    ['cachedContent', 'file'],
    ['cached_content', 'file'],
    ['inlineData', 'media'],
    ['inline_data', 'media'],
    ['mimeType', 'mediaType'],
    ['mime_type', 'mediaType'],
    ['continuationToken', 'resumed'],
    ['continuation_token', 'resumed'],
    ['fileSearchStoreNames', 'stored'],
    ['file_search_store_names', 'stored'],
  ],
};

/** Fields that hold arbitrary JSON of the caller's tools and schemas. */
const FREE_FORM: Readonly<Record<ProviderFormat, readonly string[]>> = {
  anthropic: ['input_schema', 'input_examples', 'input', 'schema', 'metadata'],
  // `env`: the variables of a shell call that a conversation repeats.
  openai: ['parameters', 'schema', 'input_schema', 'output_schema', 'metadata', 'env'],
  gemini: [
    'parameters',
    'parametersJsonSchema',
    'parameters_json_schema',
    'args',
    'response',
    'responseSchema',
    'response_schema',
    'responseJsonSchema',
    'response_json_schema',
    '_responseJsonSchema',
  ],
};

type Names = {
  readonly known: NameTable;
  readonly meanings: ReadonlyMap<string, Meaning>;
  readonly freeForm: NameTable;
};

const NAMES: Readonly<Record<ProviderFormat, Names>> = {
  anthropic: namesOf('anthropic'),
  openai: namesOf('openai'),
  gemini: namesOf('gemini'),
};

function namesOf(format: ProviderFormat): Names {
  const meanings = new Map(MEANINGS[format]);
  const known = new NameTable([...meanings.keys()]);
  return { known, meanings, freeForm: new NameTable(FREE_FORM[format]) };
}

export const FREE = Symbol('free-form value');

export function meaningOf(
  format: ProviderFormat,
  keys: JsonKeys,
): Meaning | typeof FREE | { readonly otherCaseOf: string } | undefined {
  const { bytes, keyStart, keyEnd } = keys;
  const names = NAMES[format];
  if (!isPlain(bytes, keyStart, keyEnd)) return decodedMeaning(names, keys);
  const name = names.known.findInAnyCase(bytes, keyStart, keyEnd);
  if (name !== undefined)
    return keys.isKey(name) ? names.meanings.get(name) : { otherCaseOf: name };
  // The Responses API's own `input` is at the top level, where only labels of the caller are free-form.
  if (keys.depth === 1 && !keys.isKey('metadata')) return undefined;
  return names.freeForm.find(bytes, keyStart, keyEnd) === undefined ? undefined : FREE;
}

function decodedMeaning(
  { known, meanings }: Names,
  keys: JsonKeys,
): Meaning | { readonly otherCaseOf: string } | undefined {
  const found = known.findDecoded(keys.bytes, keys.keyStart, keys.keyEnd);
  if (!found) return undefined;
  return found.isExact ? meanings.get(found.name) : { otherCaseOf: found.name };
}
