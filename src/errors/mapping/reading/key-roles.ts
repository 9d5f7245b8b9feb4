// Classifies the keys of a failure by how their values are read. Keys are compared without case, underscores
// and hyphens: `retry_after_ms`, `retryAfterMs` and `Retry-After-Ms` are equal. Objects under an unlisted key
// are not entered: SDK errors carry the whole request, and a prompt can contain any phrase.

export type KeyRole =
  | 'name' // a type, code or reason from a provider's closed list
  | 'outcome' // why a model stopped
  | 'text' // a sentence, or JSON in a string
  | 'status'
  | 'milliseconds'
  | 'seconds'
  | 'instant'
  | 'window'
  | 'dimensions' // the scope over which a limit is counted
  | 'headers'
  | 'field'
  | 'container';

export function roleOf(key: string): KeyRole | undefined {
  const known = rolesBySpelling.get(key);
  if (known !== undefined) return known === 'none' ? undefined : known;
  // No role has a longer name, and callers may choose keys: only short ones are cached.
  if (key.length > MAX_KEY) return undefined;
  const role = ROLES.get(plainKey(key));
  if (rolesBySpelling.size < MAX_CACHED_KEYS) rolesBySpelling.set(key, role ?? 'none');
  return role;
}

const MAX_KEY = 40;
const MAX_CACHED_KEYS = 2_000;

// A memo: providers use the same few keys.
const rolesBySpelling = new Map<string, KeyRole | 'none'>();

function plainKey(key: string): string {
  return key.replaceAll(/[_\-$@ ]/g, '').toLowerCase();
}

const KEYS: Readonly<Record<KeyRole, string>> = {
  name: 'type code reason name errortype errorcode errorname kind status',
  outcome: 'finishreason blockreason stopreason nativefinishreason',
  text: `message msg detail error errormessage errormsg errordescription raw result title body responsebody
    statusmsg statusmessage statustext errstr exception apimessage`,
  status:
    'statuscode httpstatus httpstatuscode rawstatuscode originalstatuscode httpcode upstreamstatus',
  milliseconds: `retryafterms retrydelayms waitms retryinms retryaftermillis retryaftermilliseconds
    resetafterms`,
  seconds: `retrydelay retryafter retryafterseconds retryaftersecs resetsinseconds resetinseconds
    quotaresetdelay waitseconds estimatedtime retryin secondstoreset
    retryafterinseconds retryinseconds resetafter resetafterseconds resetin resetsin clearsin cooldownseconds`,
  instant: `resetsat resetat resettime resetstime quotaresettimestamp resetdate nextreset resettimestamp
    ratelimitreset reset retryat availableat`,
  window:
    'quotaid quotametric quotalimit limitname limittype limitsource window ratelimittype claim',
  dimensions: 'quotadimensions dimensions',
  headers: 'headers responseheaders',
  field: 'param field loc parameter',
  container: `errors cause response data details metadata innererror violations lasterror candidates
    promptfeedback choices incompletedetails baseresp err fault errorargs errordetails rawerror
    ratelimitinfo ratelimits ratelimit previouserrors delta meta`,
};

const ROLES: ReadonlyMap<string, KeyRole> = new Map(
  Object.entries(KEYS).flatMap(([role, keys]) =>
    keys.split(/\s+/).map((key) => [key, role as KeyRole] as const),
  ),
);
