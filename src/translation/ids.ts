// Ids in the form of each vendor. Another vendor's id would identify the provider to the caller, and some SDKs check the
// form. The rest of the id stays, so that an answer and its stream agree, and providers accept ids of any form back.

const FOREIGN = /^(?:msg|chatcmpl|resp|toolu|call|fc|req)[_-]/;

/** `id` with the vendor's prefix in place of another one's, and only characters that every vendor accepts. */
export function withPrefix(prefix: string, id: string): string {
  if (prefix !== '' && id.startsWith(prefix)) return id;
  return prefix + id.replace(FOREIGN, '').replaceAll(/[^\w-]/g, '_');
}
