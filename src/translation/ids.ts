// Ids in the form of each vendor. Another vendor's id would identify the provider to the caller, and some SDKs check
// the form. The rest of the id stays, so that an answer and its stream agree; providers accept ids of any form in later
// requests.

const FOREIGN = /^(?:msg|chatcmpl|resp|toolu|call|fc|req)[_-]/;

/** `id` with this vendor's prefix instead of another vendor's, and only characters that every vendor accepts. */
export function withPrefix(prefix: string, id: string): string {
  if (prefix !== '' && id.startsWith(prefix)) return id;
  return prefix + id.replace(FOREIGN, '').replaceAll(/[^\w-]/g, '_');
}
