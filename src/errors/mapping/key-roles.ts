// Which fields of a failure are worth reading, and as what. Keys are compared without case, underscores and
// hyphens, so `retry_after_ms`, `retryAfterMs` and `Retry-After-Ms` are one. Objects under a key that is not
// listed are not entered: SDK errors carry the whole request, prompts included, and a prompt may say anything.

export type KeyRole =
  | 'name' // a type, code or reason out of somebody's closed list
  | 'outcome' // why a model stopped
  | 'text' // a sentence, or JSON in a string
  | 'status'
  | 'milliseconds'
  | 'seconds'
  | 'moment'
  | 'window'
  | 'headers'
  | 'field'
  | 'container';

export function roleOf(key: string): KeyRole | undefined {
  const known = ROLES.get(key);
  if (known !== undefined || key.length > 40) return known;
  return ROLES.get(plainKey(key));
}

function plainKey(key: string): string {
  return key.replaceAll(/[_\-$@ ]/g, '').toLowerCase();
}

const KEYS: Readonly<Record<KeyRole, string>> = {
  name: 'type code reason name errortype errorcode errorname error_code __type kind status',
  outcome: 'finishreason blockreason stopreason finish_reason stop_reason nativefinishreason',
  text: `message msg detail error errormessage errormsg errordescription error_description raw result title
    body responsebody statusmsg statusmessage statustext errstr exception apimessage`,
  status: `statuscode status_code httpstatus http_status httpstatuscode rawstatuscode originalstatuscode
    httpcode upstreamstatus`,
  milliseconds: 'retryafterms retrydelayms waitms retryinms',
  seconds: `retrydelay retryafter retry_after retryafterseconds retryaftersecs resetsinseconds
    resetinseconds resets_in_seconds quotaresetdelay waitseconds estimatedtime retryin secondstoreset`,
  moment: `resetsat resets_at resetat reset_at resettime resetstime quotaresettimestamp resetdate
    nextreset resettimestamp ratelimitreset reset`,
  window:
    'quotaid quotametric quotalimit limitname limittype limitsource window ratelimittype claim',
  headers: 'headers responseheaders',
  field: 'param field loc parameter',
  container: `errors cause response data details metadata innererror violations lasterror candidates
    promptfeedback choices incompletedetails baseresp err fault errorargs errordetails rawerror`,
};

const ROLES: ReadonlyMap<string, KeyRole> = new Map(
  Object.entries(KEYS).flatMap(([role, keys]) =>
    keys.split(/\s+/).map((key) => [key, role as KeyRole] as const),
  ),
);
