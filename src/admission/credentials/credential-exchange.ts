// The port over which servers share refusals of provider credentials. A lost message needs no repair: a server that does not
// know of a refusal learns it by one call of its own.

export type CredentialNews = {
  readonly provider: string;
  readonly account: string;
  /** Absent: the key is refused for every model. */
  readonly model?: string | undefined;
  /** False: the provider accepts the key again. */
  readonly isRefused: boolean;
  /** A keyed hash of the credential: servers may have different keys for one account while a key is being replaced. */
  readonly fingerprint: string;
};

export type CredentialExchange = {
  /** Synchronous, never throws. */
  publish(news: CredentialNews): void;
  /** Delivers the refusals and acceptances that other servers report. Never rejects. */
  subscribe(onNews: (news: CredentialNews) => void): Promise<void>;
  close(): Promise<void>;
};
