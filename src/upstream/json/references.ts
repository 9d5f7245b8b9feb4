// Finds, at any depth of a request, the fields that raise its cost beyond its own bytes: files and images that it refers
// to but does not contain, media that it contains but that has more tokens than bytes (blank pages, a still video), and the
// one-hour cache. The worst case adds them. Names are decoded before they are compared,
// and a known name in another case is a problem, because a provider may read it as the known one: see reference-names.ts.
// Arguments, results and schemas of tools are text to the model, so their names are skipped. References to a stored
// conversation are top-level fields: see output-limits.ts. Files, caches, vector stores, containers and items that a provider
// stores belong to the provider account, which organisations share.

import type { ProviderFormat } from '../../kernel/provider-format.ts';
import { mediaBesideType, mediaInValue } from './inline-media.ts';
import { NameTable } from './name-table.ts';
import { MAX_NAMES, peekFields } from './peek-fields.ts';
import { FREE, meaningOf } from './reference-names.ts';
import { BACKSLASH, endOfValue, isPlain } from './scan.ts';
import { countFetchedUrls } from './search-results.ts';
import { JsonKeys } from './walk-keys.ts';

export type References = {
  /** A reference of unknown length: up to the model's context window. */
  readonly isUnbounded: boolean;
  readonly images: number;
  /** Bytes of media in base64, which are no text: see inline-media.ts. */
  readonly mediaBytes?: number;
  /** The one-hour cache costs more to write. */
  readonly mayCacheForAnHour: boolean;
  /** Audio, images or video, whose tokens may have another price than text. */
  readonly hasMedia: boolean;
  /** OpenAI's audio input, which costs more than text. */
  readonly hasAudio: boolean;
  /** The first field that names an object stored at the provider. */
  readonly stored?: string | undefined;
  /** An element of a list at the top level has an `id`: it may stand for a stored item, see bare-item.ts. */
  readonly hasItemId?: boolean;
  /** An input item or a message may load tools, see item-tools.ts. */
  readonly hasItemTools?: boolean;
  /** A field whose name is known only in another case. */
  readonly problem?: string;
  readonly hasTooManyNames?: boolean;
};

const NONE: References = Object.freeze({
  isUnbounded: false,
  images: 0,
  mayCacheForAnHour: false,
  hasMedia: false,
  hasAudio: false,
});

export function peekReferences(format: ProviderFormat, body: Buffer): References {
  const keys = new JsonKeys();
  const found = {
    isUnbounded: false,
    images: 0,
    mediaBytes: 0,
    urls: 0,
    hasHour: false,
    hasDocument: false,
    hasMedia: false,
    hasAudio: false,
    hasItemId: false,
    hasItemTools: false,
    stored: undefined as string | undefined,
  };
  const objects = { left: MAX_OBJECTS };
  let left = MAX_NAMES;
  keys.start(body, 0, body.length);
  while (keys.next()) {
    if (--left < 0) return { ...NONE, hasTooManyNames: true };
    const meaning = meaningOf(format, keys);
    if (meaning === undefined) {
      if (format === 'anthropic' && isWord(keys, DOCUMENT)) found.hasDocument = true;
      if (format === 'openai') noteItem(found, keys);
      continue;
    }
    if (meaning === FREE) {
      if (keys.takeValue() === undefined) break;
    } else if (meaning === 'stored') found.stored ??= storedName(keys, objects);
    else if (meaning === 'file' || meaning === 'fileUrl') {
      found.isUnbounded = true;
      if (meaning === 'file' || !isPublicUrl(keys)) found.stored ??= storedName(keys, objects);
    } else if (meaning === 'fileData') {
      found.isUnbounded = true;
      found.mediaBytes += mediaInValue(keys, 'url');
    } else if (meaning === 'skill') found.stored ??= customSkill(keys, objects);
    else if (meaning === 'spoken') {
      if (!namesId(keys, objects)) continue;
      found.stored ??= 'audio';
      found.isUnbounded = true;
    } else if (meaning === 'mediaType') addMedia(found, keys);
    else if (meaning === 'image') {
      found.images += 1;
      found.mediaBytes += mediaInValue(keys, 'url');
      if (isOtherMedia(keys)) found.isUnbounded = true;
    } else if (meaning === 'url') found.urls += 1;
    else if (meaning === 'media') found.hasMedia = true;
    else if (meaning === 'tool') found.hasItemTools = true;
    // An answer is continued from the state in which the provider stopped.
    else if (meaning === 'resumed') found.isUnbounded ||= keys.isSomething();
    else if (meaning === 'audio') {
      found.hasAudio = true;
      found.isUnbounded = true;
      found.mediaBytes += mediaInValue(keys, 'data');
    } else if (meaning === 'lifetime') found.hasHour ||= !isOrdinaryLifetime(keys);
    else return { ...NONE, problem: meaning.otherCaseOf };
  }
  if (found.urls > 0) found.urls = countFetchedUrls(body);
  return summary(found);
}

/** The lifetimes at the ordinary price of a cache write: Anthropic's five minutes, and OpenAI's only lifetime. */
function isOrdinaryLifetime(keys: JsonKeys): boolean {
  return keys.isTextValue('5m') || keys.isTextValue('30m');
}

/** A short text with escapes may be the word, too. */
function isWord(keys: JsonKeys, word: string): boolean {
  if (keys.isTextValue(word)) return true;
  const bytes = keys.textBytes();
  if (bytes <= word.length || bytes > word.length * 6) return false;
  return !isPlain(keys.bytes, keys.valueStart + 1, keys.valueEnd) && keys.textValue() === word;
}

const DOCUMENT = 'document';
/** The types of input items and containers that stand for stored ones. */
const REFERENCES: readonly string[] = ['item_reference', 'container_reference'];
/** The depth of the keys of `input[i]`. */
const ITEM_DEPTH = 3;

type FoundItems = {
  isUnbounded: boolean;
  hasItemId: boolean;
  hasItemTools: boolean;
  stored: string | undefined;
};

function noteItem(found: FoundItems, keys: JsonKeys): void {
  const word = REFERENCES.find((each) => isWord(keys, each));
  if (word !== undefined) {
    found.stored ??= word;
    found.isUnbounded = true;
  } else if (keys.depth === ITEM_DEPTH) {
    if (keys.isNamed('id')) found.hasItemId = true;
    else if (keys.isNamed('tools')) found.hasItemTools = true;
  } else if (mayBeData(keys) && keys.isNamed('url') && isOtherMedia(keys)) found.isUnbounded = true;
}

/**
 * A URL that contains something else than an image in the place of an image: compatible providers and translations read it
 * as the document or the video that it is.
 */
function isOtherMedia(keys: JsonKeys): boolean {
  if (!mayBeData(keys)) return false;
  const { bytes, valueStart, valueEnd } = keys;
  const start = bytes.toString('latin1', valueStart + 1, Math.min(valueEnd, valueStart + 65));
  return /^\s*(?:data:(?!image\/)|\S*\\u)/i.test(start.replaceAll('\\/', '/'));
}

/** Decided by the first byte, because this runs for every text of a request. */
function mayBeData({ bytes, valueStart, valueEnd }: JsonKeys): boolean {
  const first = bytes[valueStart + 1] ?? 0;
  return (
    valueEnd > valueStart && ((first | 0x20) === LOWER_D || first <= 0x20 || first === BACKSLASH)
  );
}

const LOWER_D = 0x64;

/** Undefined for null, for an empty list, and for a container that the request itself describes. */
function storedName(keys: JsonKeys, objects: ObjectCount): string | undefined {
  const name = keys.keyText();
  if (!keys.isSomething() || keys.isEmptyList()) return undefined;
  return name === 'container' && keys.isObject() && !namesId(keys, objects) ? undefined : name;
}

/** The number of objects of a request that may still be read for their `id`. */
type ObjectCount = { left: number };

/** Objects within objects are read once for each level, so both their number and the bytes read of each are bounded. */
const MAX_OBJECTS = 1000;
const MAX_OBJECT_BYTES = 16_384;

/**
 * Whether the value is an object with an `id`, such as a container that an earlier request made. An object beyond the bounds
 * counts as one.
 */
function namesId(keys: JsonKeys, objects: ObjectCount): boolean {
  if (!keys.isObject()) return false;
  if (--objects.left < 0) return true;
  const { bytes, valueStart } = keys;
  const begin = bytes.subarray(valueStart, valueStart + MAX_OBJECT_BYTES);
  const end = endOfValue(begin, 0);
  if (end < 0) return true;
  const peeked = peekFields(begin.subarray(0, end), ID, true);
  return peeked.ok ? peeked.fields.has('id') : peeked.field === 'id';
}

const ID = new NameTable(['id']);

/** Skills of an account have generated ids; those of the vendor have names, such as `pptx`. */
function customSkill(keys: JsonKeys, objects: ObjectCount): string | undefined {
  if (keys.isText() && !keys.textValue()?.startsWith('skill_')) return undefined;
  return storedName(keys, objects);
}

/** The tokens of media depend on its pages, pixels and seconds, and not on its bytes: an hour of silence has few bytes. */
function addMedia(
  found: { images: number; mediaBytes: number; isUnbounded: boolean },
  keys: JsonKeys,
): void {
  const type = keys.textValue()?.trim().toLowerCase() ?? '';
  if (type.startsWith('text/')) return;
  if (type.startsWith('image/')) found.images += 1;
  else found.isUnbounded = true;
  found.mediaBytes += mediaBesideType(keys);
}

/** A URL on the web, as opposed to a file in the provider's store or a bucket. */
function isPublicUrl(keys: JsonKeys): boolean {
  const url = URL.parse(keys.textValue() ?? '');
  const isWeb = url?.protocol === 'https:' || url?.protocol === 'http:';
  return (
    isWeb && !/(?:^|\.)googleapis\.com$|(?:^|\.)storage\.cloud\.google\.com$/.test(url.hostname)
  );
}

function summary(found: {
  readonly isUnbounded: boolean;
  readonly images: number;
  readonly mediaBytes: number;
  readonly urls: number;
  readonly hasHour: boolean;
  readonly hasDocument: boolean;
  readonly hasMedia: boolean;
  readonly hasAudio: boolean;
  readonly hasItemId: boolean;
  readonly hasItemTools: boolean;
  readonly stored: string | undefined;
}): References {
  const { isUnbounded, urls, hasHour, hasDocument, hasMedia, hasAudio, stored } = found;
  const { hasItemId, hasItemTools, mediaBytes } = found;
  const images = found.images + urls;
  const isPlainText = !isUnbounded && images === 0 && !hasHour && !hasMedia && !hasAudio;
  if (isPlainText && stored === undefined)
    return hasItemId || hasItemTools ? { ...NONE, hasItemId, hasItemTools } : NONE;
  // A URL may lead to a document of unknown length.
  return {
    isUnbounded: isUnbounded || (urls > 0 && hasDocument),
    images,
    ...(mediaBytes > 0 ? { mediaBytes } : {}),
    mayCacheForAnHour: hasHour,
    hasMedia: hasMedia || hasAudio || images > 0 || isUnbounded,
    hasAudio,
    hasItemId,
    hasItemTools,
    stored,
  };
}
