// Known phrases of provider messages (phrase-scanner.ts defines how they match), from the specific to the
// vague: the first rule with a phrase in the text decides. `reach` says where a rule applies:
//   always  even inside a validation failure: a 400 may mean an empty balance or a bad key;
//   open    not inside a validation failure: its text quotes the request and can mention anything;
//   refused only if the status refuses the account (402, 403, 429), where single words are significant;
//   bare    only without a failing HTTP status: with one, the transport evidently worked.

import type { Meaning } from '../meaning/meanings.ts';

export type TextRule = {
  readonly meaning: Meaning;
  readonly reach: 'always' | 'open' | 'refused' | 'bare';
  readonly phrases: readonly string[];
  /** The text must also contain at least one of them. */
  readonly together?: readonly string[];
  /** The phrases state a lack of capacity, whatever the meaning: under 429 they decide before others. */
  readonly isAboutCapacity?: boolean;
};

export const TEXT_RULES: readonly TextRule[] = [
  {
    meaning: 'unknown',
    reach: 'bare',
    phrases:
      list(`is not a function | is not defined | is not iterable | is not a constructor | cannot read propert* |
      cannot set propert* | cannot find module | cannot destructure | no such file or directory |
      command not found | maximum call stack`),
  },
  {
    meaning: 'throttle',
    reach: 'open',
    phrases: list(`not your usage limit | too many tokens please wait | too many tokens per minute |
      too many tokens per day | quota increase`),
  },
  {
    // The account has credit for shorter requests.
    meaning: 'too_long',
    reach: 'open',
    isAboutCapacity: true,
    phrases:
      list(`extra usage is required for long context | usage credits required for long context |
      usage credits are required for long context`),
  },
  {
    meaning: 'quota',
    reach: 'always',
    phrases: list(`credit balance is too low | credit balance too low | insufficient balance |
      insufficient account balance | balance is insufficient | balance not enough | balance is too low |
      balance too low | requires available credits | not enough balance | negative balance |
      insufficient credit* | insufficient funds | insufficient quota | insufficient ai credit* |
      not enough credit* | not enough funds | enough credits | out of credits | no usable credits |
      out of funds | balance depleted | run out of available | active grok subscription | out of tokens |
      extra usage | usage credits | ran out of credit* | run out of credit* | have no credits |
      has no credits | no credits left |
      doesnt have any credits | does not have any credits | dont have any credits |
      no remaining credits | no available credits | credit depleted | credits depleted | credits are depleted |
      credits have been depleted | credits exhausted | credits are exhausted | credits have been exhausted |
      credit limit reached | credit limit exceeded | used all available credits | used all your credits |
      used up your credits | requires more credits | require more credits | need more credits |
      can only afford | never purchased credits | please recharge | recharge your account |
      account is in arrears | in good standing | overdue payment | overdue balance | payment required |
      premium request allowance | premium request quota | issue with your billing | billing hard limit |
      billing is not active | billing not active | spend limit | spending limit | spending cap | spend cap |
      spending quota | budget has been exceeded | budget exceeded | exceeded budget | exceeded your budget |
      free quota | upgrade to a paid account | free tier quota has been exhausted | trial credits |
      trial has ended | trial ended | trial expired | subscription has expired | subscription expired |
      no active subscription | no resource package | upgrade to plus | key limit exceeded | *余额不足* | *欠费* |
      *额度已用* | *额度不足* | *请充值*`),
  },
  {
    meaning: 'quota',
    reach: 'always',
    phrases: list(`insufficient | not enough`),
    together: list(`top up | add credits | add funds | credits | recharge | payment`),
  },
  {
    meaning: 'limit',
    reach: 'always',
    phrases: list(`reached your specified api usage limit* | reached your api usage limit* |
      specified workspace api usage limits | exceeded your current quota | exceeded your current token quota |
      quota has been exhausted | quota exhausted | exhausted your quota | exhausted your capacity |
      exhausted your daily quota | exceeds the service quota | monthly quota | daily quota |
      requests per month | calls month`),
  },
  {
    meaning: 'policy',
    reach: 'always',
    phrases:
      list(`content filter | content filtering | content filters | content management policy | content policy |
      content policies | content moderation | responsible ai polic* | safety system | safety filter* |
      safety reasons | safety polic* | safety settings | safety check* | usage policy | usage policies |
      use policy | acceptable use | usage guidelines | content guidelines | community guidelines |
      content exists risk | prohibited use | prohibited content | terms of service violation |
      potentially violating | violate our | violates our | violated our | violating our | flagged as |
      was flagged | been flagged | flagged by | requires moderation | moderation system |
      blocked by moderation | blocked by our | blocked due to safety | response was blocked |
      prompt was blocked | request was blocked by | prompt blocked | blocked the prompt |
      inappropriate content | harmful content | unsafe content | sensitive content | sensitive words |
      high risk | copyright | recitation | data inspection | guardrail intervened | blocked by a guardrail |
      blocked output | blocked input | new sensitive |
      *敏感内容* | *不安全或敏感* | *违规* | *内容安全*`),
  },
  {
    meaning: 'policy',
    reach: 'always',
    phrases: list(`violat*`),
    together: list(`polic* | guideline*`),
  },
  {
    meaning: 'policy',
    reach: 'always',
    phrases: list(`blocked | filtered | rejected | flagged | refused | declined`),
    together: list(`safety | moderation | harm* | unsafe | prohibited content`),
  },
  {
    meaning: 'invalid',
    reach: 'always',
    phrases:
      list(`does not exist or you | does not exist or your | you requested does not exist | is not found for api version | model not found |
      not found try pulling | unknown model | not a valid model | no such model | model does not exist |
      model not exist | max tokens must be | max tokens is too large | max tokens is too high |
      max tokens too large | max tokens # which is the maximum allowed number of output tokens |
      max completion tokens is too large | max output tokens must be |
      maximum allowed number of output tokens | supports at most # completion tokens`),
  },
  {
    meaning: 'too_long',
    reach: 'always',
    phrases:
      list(`prompt is too long | prompt too long | prompt too large | prompt is too large | input too large |
      input is too large | context too large | context budget | maximum number of tokens | *上下文过长* | *上下文超出* |
      *超长* | *超过最大* | *最大长度* | prompt was too long | prompt contains # tokens | prompt token count |
      prompt length | prompt exceeds | prompt tokens limit exceeded | input is too long | input too long |
      input length | input token count | input tokens exceed | input exceeds | inputs tokens |
      too many input tokens | total number of tokens | number of tokens in the prompt |
      number of input tokens | context length | context window | context limit | context size |
      context overflow* | maximum context | max context | available context | exceeds context |
      exceed context | exceeds the context | exceeded model token limit | model token limit |
      maximum number of tokens allowed | maximum prompt length | maximum input length | maximum input tokens |
      maximum sequence length | maximum model length | must have less than # tokens | above the token limit |
      token limit exceeded | exceeded the token limit | max input tokens | max seq len | max model len |
      maximum number of input tokens | maximum tokens for this model | maximum token count |
      reduce the length of the messages | reduce the length of your | reduce your prompt | reduce the prompt |
      shorten your prompt | shorten the prompt | shorter prompt | prompt is longer than |
      conversation is too long | conversation too long | message is too long | messages too long |
      request exceeds the maximum number of tokens | tokens exceeds the | tokens exceed the |
      tokens in request more than max tokens allowed | too many tokens in | too many tokens | n ctx |
      exceeds the kv cache | range of input length | *上下文长度* | *输入过长* | *超出最大*`),
  },
  {
    meaning: 'too_large',
    reach: 'always',
    phrases:
      list(`request entity too large | payload too large | content too large | request too large |
      request is too large | body too large | body is too large | message too large | entity too large |
      file too large | file is too large | files are too large | image too large | image is too large |
      image was too large | exceeds the dimension limit | message larger than max |
      images are too large | pdf too large | request size exceeds | request size limit |
      request payload size | payload size exceeds | body size limit | body exceeds |
      request exceeds the maximum size | exceeds the maximum size | exceeds the maximum allowed size |
      exceed max allowed size | exceeds max allowed size | exceed the maximum allowed size |
      exceeds maximum size | exceeds size limit | exceeds the size limit | size exceeds the | size exceeds |
      file size exceeds | image exceeds | image dimensions exceed | mb maximum | maximum of # pdf pages |
      maximum content size | maximum request size | exceeds # mb | larger than # mb | larger than the limit |
      tokens must be reduced | request too big`),
  },
  {
    meaning: 'throttle',
    reach: 'always',
    phrases:
      list(`rate limit exceeded | rate limit reached | rate limit has been exceeded | exceeded your rate limit |
      rate increased too quickly | too many requests | too many concurrent requests`),
  },
  {
    meaning: 'untrusted',
    reach: 'open',
    phrases:
      list(`self signed certificate | certificate verify failed | certificate verification failed |
      unable to get local issuer certificate | unable to get issuer certificate |
      unable to verify the first certificate | unable to verify leaf signature | certificate has expired |
      certificate is not trusted | certificate signed by unknown authority | certificate is not yet valid |
      invalid peer certificate | certificates altnames | hostname mismatch | pkix path building failed |
      valid certification path | remote certificate is invalid | certificate for this server is invalid |
      certificate not trusted | certificate is invalid | unknown ca | cert has expired |
      cert authority invalid | ssl certificate error | ssl certificate problem |
      ssl certificate verification`),
  },
  {
    meaning: 'credentials',
    reach: 'always',
    phrases:
      list(`invalid api key | invalid api token | invalid x api key | invalid x goog api key | incorrect api key |
      wrong api key | bad api key | api key not valid | api key not found | api key is invalid |
      api key is not valid | api key is missing | api key is required | api key required | api key expired |
      api key has expired | api key has been* | api key is disabled | api key was reported | api key invalid |
      apikey is invalid | missing api key | no api key | unknown api key | provide an api key |
      provide a valid api key | provide valid api key | invalid authentication | invalid authorization |
      invalid auth | invalid bearer | invalid access token | invalid oauth | invalid credentials |
      authentication fail* | authentication error | authentication required | authentication credential* |
      authentication is required | auth credentials | failed to authenticate | could not authenticate |
      could not validate credentials | no credentials | missing credentials | credentials not found |
      sign in again | log in again | not authenticated | unauthenticated | could not resolve authentication |
      credentials are invalid | oauth token | oauth authentication | oauth access is* | token expired |
      token has expired | token is expired | token has been revoked | token revoked | security token |
      request signature | could not load credentials | login fail* | unable to locate credentials | please run login |
      please log in | please sign in | not logged in | login required | please re authenticate |
      insufficient permission* | does not have permission | do not have permission | dont have permission |
      lacks permission | missing scope* | missing permissions | missing the required scope* |
      access to this model | access to the model | access to the organization | not have access |
      dont have access | no access to model | is not allowed to use | not allowed to access | denied access |
      not authorized to invoke | not authorized to perform | not authorized to access | not authorized to use |
      account has been disabled | account has been deactivated | account has been suspended |
      account has been blocked | account is disabled | account is deactivated | account is suspended |
      account is not active | account was banned | account deactivated | account suspended |
      organization has been disabled | organization has been deactivated | organization must be verified |
      service has been disabled | has been banned | reported as leaked | has not been used in project |
      it is disabled | country region or territory | location is not supported | region is not supported |
      not supported in your region | not supported in your country | not available in your country |
      not available in your region | not available in your location | only authorized for use with |
      enable billing | billing to be enabled | data policy | guardrail restrictions | terms of service |
      disabled in this account | verify your account | use case details | model terms | *令牌* | *身份验证* | *无权* |
      *认证失败* | *鉴权* | *密钥* | *未授权*`),
  },
  {
    meaning: 'credentials',
    reach: 'always',
    phrases:
      list(`organization has been | organization is | account has been | account is | workspace has been |
      project has been | team has been | key has been | subscription has been`),
    together:
      list(`disabled | deactivated | suspended | banned | restricted | blocked | revoked | terminated | locked |
      on hold`),
  },
  {
    meaning: 'credentials',
    reach: 'open',
    phrases:
      list(`unauthorized | unauthorised | not authorized | not authorised | permission denied | access denied |
      access token | refresh token | invalid token | accessdeniedexception | accessdenied | forbidden`),
  },
  {
    meaning: 'limit',
    reach: 'open',
    phrases:
      list(`usage limit reached | usage limits reached | usage limit has been reached | usage limit was reached |
      usage limit exceeded | usage limit hit | usage limit has been exceeded | reached your usage limit* |
      reached its usage limit* | reached the usage limit* | reached your hourly usage limit |
      reached your daily usage limit | reached your weekly usage limit | reached your monthly usage limit |
      hit your usage limit* | hit the usage limit* | hit your orgs monthly usage limit |
      exceeded your usage limit* | exceeded the usage limit* | exceeded usage limit* | usage cap reached |
      usage cap has been reached | reached your usage cap | fair usage | fair use | message limit |
      session limit reached | hit your session limit | hour limit* | hourly limit | daily limit* |
      daily usage | daily request* | daily token limit | weekly token limit | monthly token limit |
      exceeded your copilot | weekly limit* | weekly usage | monthly limit* |
      monthly request limit | opus limit* | sonnet limit* | fable limit* | plan limit* |
      limit for claude messages | hit your limit | reached your limit | youre out of | hit your chatgpt |
      hit your usage | quota exceeded | quota limit exceeded | quota limit reached | exceeded quota |
      exceeded your quota | exceeded your daily | exceeded your monthly | exceeded your weekly |
      exceeded the quota | reached your quota | run out of quota | out of quota | over quota |
      quota is used up | quota will reset | tokens per day | monthly usage | per month | api calls month |
      requests per day | per day | per week | *使用上限* | *配额* | *额度*`),
  },
  {
    meaning: 'throttle',
    reach: 'open',
    phrases:
      list(`rate limit is exceeded | rate limit was exceeded | rate limit hit | rate limit of | rate limit for |
      rate limits exceeded | rate limiterror | ratelimiterror | ratelimitreached | ratelimit exceeded |
      rate limited | ratelimited | rate limiting | api rate limit | hit the rate limit | hit a rate limit |
      hit rate limit | hit our rate limit | hitting rate limits | reached the rate limit |
      exceeded rate limit | exceeded the rate limit | exceeded token rate limit | exceeded call rate limit |
      exceeds the rate limit | exceed the rate limit | exceed your rate limit |
      exceed your accounts rate limit | exceed your organizations rate limit |
      exceed your organization s rate limit | exceeded your per minute rate limit | per minute rate limit |
      rate limit error | requests rate limit | requests per minute | requests per second | tokens per minute |
      tokens per min | requests per min | queries per minute | max rpm | max tpm | rpm limit | tpm limit`),
  },
  {
    meaning: 'broken',
    reach: 'open',
    phrases:
      list(`requires more system memory | not enough memory | unable to load model | unable to allocate |
      failed to allocate | error loading model | failed to load model | cudamalloc failed`),
  },
  {
    meaning: 'overloaded',
    reach: 'open',
    phrases:
      list(`overloaded | overload | at capacity | over capacity | out of capacity | no capacity |
      insufficient capacity | not enough capacity | capacity exceeded | capacity temporarily exceeded | capacity error* |
      capacity constraints | capacity limit* | exceeded capacity | exceeds capacity | limited capacity |
      currently experiencing high | high demand | high load | high traffic | heavy load | heavy traffic |
      server busy | server is busy | servers are busy | service is busy | service busy | model is busy |
      system busy | system is busy | too busy | currently loading | is loading | loading model |
      model is not ready | warming up | queue is full | queue full | maximum pending requests |
      maximum queue | no healthy upstream | no available workers | no available channel* |
      no instances available | no healthy deployment* | no deployments available | temporarily overloaded |
      temporarily unavailable | service unavailable | service is unavailable | service temporarily |
      currently unavailable | *繁忙* | *负载过高* | *不可用* | *过载* | *访问量过大*`),
  },
  {
    meaning: 'throttle',
    reach: 'open',
    phrases:
      list(`trial key | rate exceeded | throttling error | throttling | throttled | throttlingexception |
      toomanyrequestsexception | too many connections | too many concurrent | too many request* |
      request limit exceeded | request limit reached | request rate | concurrency limit |
      concurrent requests | cooling down | cooldown | *请求过多* | *限流* | *频率限制* | concurrent request limit |
      max concurrency | max organization concurrency | limiting requests | slow down | resource exhausted |
      resource has been exhausted | model exhausted | *请求过于频繁* | *速率限制* | *频率* | *并发*`),
  },
  {
    meaning: 'limit',
    reach: 'refused',
    phrases:
      list(`usage limit* | usage cap* | usage quota | quota | quotas | credits | allowance | paid plan |
      requires a paid | upgrade your plan | upgrade your subscription | purchase more credits |
      purchase credits | buy more credits | add more credits | add credits | add funds | top up your |
      please top up | payment method | free trial`),
  },
  {
    meaning: 'slow',
    reach: 'open',
    phrases:
      list(`request timed out | request timeout | request time out | read timed out | operation timed out |
      connection timed out | timed out reading | upstream timed out | upstream request timeout |
      upstream timeout | gateway timeout | gateway time out | deadline exceeded | deadline expired |
      response timed out | took too long | timeouterror | readtimeout | sockettimeout |
      headers timeout error | timed out waiting | stream timed out | modeltimeoutexception`),
  },
  {
    meaning: 'aborted',
    reach: 'bare',
    phrases:
      list(`operation was aborted | request was aborted | request aborted | user aborted | aborted by user |
      signal is aborted | signal was aborted | request was cancelled | request was canceled |
      request cancelled | request canceled | request interrupted by user | client closed request |
      aborterror | context canceled`),
  },
  {
    meaning: 'credentials',
    reach: 'bare',
    phrases:
      list(`enable javascript and cookies | attention required cloudflare | you have been blocked |
      checking your browser`),
  },
  {
    meaning: 'connect',
    reach: 'bare',
    phrases:
      list(`econnrefused | enotfound | eai again | enetunreach | ehostunreach | econnaborted | connect timeout |
      connecttimeout | connection refused | unable to connect | failed to connect | could not connect |
      cannot connect | cant connect | no route to host | no connection could be | actively refused |
      urlopen error | network is unreachable | host is unreachable | getaddrinfo | name or service not known |
      nodename nor servname | name resolution | name resolver | could not resolve host* |
      could not resolve proxy | no such host | dns error | dns lookup | dns resolution |
      failed to lookup address | server misbehaving | unknownhostexception | connection attempt failed |
      gave http response to https client | failed to establish a new connection | newconnectionerror |
      all connection attempts failed | tcp connect error | error trying to connect | proxy connection |
      tunneling socket | failed to fetch | failed to open socket | internet connection |
      err internet disconnected | err name not resolved`),
  },
  {
    meaning: 'idle',
    reach: 'bare',
    phrases: list(`body timeout error | idle timeout | stream idle | no data received`),
  },
  {
    meaning: 'lost',
    reach: 'bare',
    phrases:
      list(`econnreset | epipe | broken pipe | socket hang up | socket closed | socket connection was closed |
      socket disconnected | fetch failed | load failed | network error | networkerror |
      network connection was lost | network request failed | network changed | connection error |
      connection was closed | connection was reset | connection was aborted | connection was lost |
      connection lost | connection closed | connection reset* | connection aborted | connection termin* |
      connection dropped | closed network connection | closed with outstanding | not closed cleanly |
      ssl error syscall | ssl connection could not be | incompletemessage | empty response from server |
      connection broken | connection interrupted | connection forcibly closed | forcibly closed |
      closed connection | connection has been closed | remote end closed | empty reply from server |
      err empty response | payload is not completed | expected http | aborted | other side closed |
      premature close | premature end | closed prematurely | closed before | server disconnected |
      disconnected before | stream disconnected | stream closed | stream ended | stream error |
      stream was destroyed | stream reset | stream was reset | unexpected eof | error decoding response body |
      error sending request | error reading a body | incomplete chunked read | incomplete message |
      incomplete read | invalidchunklength | remoteprotocolerror | response ended prematurely |
      protocol error | goaway | bad record mac | handshake fail* | ssl handshake | tls handshake | ssl alert |
      tls alert | tlsv# alert | sslv# alert | ssl routines | wrong version number |
      eof occurred in violation of protocol | max retries exceeded with url | websocket closed |
      error terminated | typeerror terminated | stream was closed | stream aborted | stream was aborted |
      without sending any | ended without | *网络错误* | *网络异常* | *连接错误* | *连接失败*`),
  },
  {
    meaning: 'slow',
    reach: 'bare',
    phrases: list(`timed out | timedout | timeout | etimedout | time out | *超时*`),
  },
  {
    meaning: 'failed',
    reach: 'bare',
    phrases:
      list(`internal server error | *内部错误* | *服务器错误* | *系统错误* | *系统异常* | *服务异常* | internal error |
      internal service error | internalservererror | internalserverexception | modelstreamerrorexception |
      server had an error | server error | unexpected error | unknown error occurred | bad gateway |
      upstream error | upstream connect error | upstream prematurely closed | error from provider |
      provider returned error | provider returned an error | backend error | something went wrong |
      error occurred while processing | error while processing | unable to process your request |
      unexpected end of json input | unexpected end of data | json at position | body is empty | empty body |
      unexpected token | unterminated string in json | unexpected non whitespace character |
      is not valid json | expecting value | expected value at line |
      looking for beginning of value | failed to parse response | failed to parse stream |
      invalid json response | empty response | no response from | no content in response |
      runner process has terminated | model runner has unexpectedly stopped | encountered an error |
      encountered an issue | failed to generate | model error | an error occurred while generating |
      serviceunavailable`),
  },
  {
    meaning: 'throttle',
    reach: 'bare',
    phrases: list(`rate limit | rate limits`),
    together: list(`reached | exceed* | hit | current | retry later | try again`),
  },
  {
    meaning: 'limit',
    reach: 'bare',
    phrases:
      list(`limit reached | limit exceeded | limit exhausted | limit hit | hit your | reached your | reached its |
      exceeded your | used up your | used your | used # of your | out of your`),
    together:
      list(`resets | reset | quota* | allowance | plan | upgrade | weekly limit | monthly limit | daily limit |
      usage limit* | now using | opus | sonnet`),
  },
  {
    meaning: 'credentials',
    reach: 'bare',
    phrases: list(`api key | apikey | auth token | authtoken | access key`),
    together:
      list(`must be set | environment variable | is not set | not configured | not provided | please pass |
      to be set`),
  },
  {
    meaning: 'credentials',
    reach: 'bare',
    phrases:
      list(`api key | apikey | credential* | token | session | account | organization | subscription | oauth | sso |
      authorization | authentication`),
    together:
      list(`expired | deleted | refreshed | failed to extract | revoked | disabled | denied | suspended |
      deactivated | restricted | incorrect | not found | is missing | is invalid | rejected`),
  },
  {
    meaning: 'invalid',
    reach: 'bare',
    phrases:
      list(`not found | does not exist | not supported | unsupported | invalid | malformed | missing required |
      field required | is required | unknown parameter | should match | must end | must be | must have |
      does not support | not permitted`),
    together:
      list(`model | parameter* | field | request | argument | value | schema | pattern | content | conversation |
      message* | tool* | function`),
  },
];

function list(phrases: string): readonly string[] {
  return phrases.split('|').map((phrase) => phrase.trim());
}
