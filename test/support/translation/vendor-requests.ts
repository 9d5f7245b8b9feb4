// The vendors' request formats as strict schemas, for the fields that translation writes: an unknown field, a wrong
// type or a missing field is an error. At the end of this file the compiler compares each schema with the published
// types of the vendor's SDK, so that no schema allows a request that the SDK could not send.

import type Anthropic from '@anthropic-ai/sdk';
import type { GenerateContentParameters } from '@google/genai';
import type OpenAI from 'openai';
import { z } from 'zod';

const name = z.string().regex(/^[a-zA-Z0-9_.-]{1,128}$/);
const jsonObject = z.record(z.string(), z.unknown());
const schemaObject = z.looseObject({ type: z.literal('object') });
const maximum = z.int().min(1);
const temperature = z.number().min(0).max(2);
const share = z.number().min(0).max(1);

// Anthropic's Messages.
const textBlock = z.strictObject({ type: z.literal('text'), text: z.string().min(1) });
const imageBlock = z.strictObject({
  type: z.literal('image'),
  source: z.union([
    z.strictObject({
      type: z.literal('base64'),
      media_type: z.enum(['image/jpeg', 'image/png', 'image/gif', 'image/webp']),
      data: z.string(),
    }),
    z.strictObject({ type: z.literal('url'), url: z.string() }),
  ]),
});
const documentBlock = z.strictObject({
  type: z.literal('document'),
  title: z.string().optional(),
  source: z.union([
    z.strictObject({
      type: z.literal('base64'),
      media_type: z.literal('application/pdf'),
      data: z.string(),
    }),
    z.strictObject({
      type: z.literal('text'),
      media_type: z.literal('text/plain'),
      data: z.string(),
    }),
    z.strictObject({ type: z.literal('url'), url: z.string() }),
  ]),
});
const messagesBlock = z.union([
  textBlock,
  imageBlock,
  documentBlock,
  z.strictObject({ type: z.literal('tool_use'), id: name, name, input: jsonObject }),
  z.strictObject({
    type: z.literal('tool_result'),
    tool_use_id: name,
    content: z.array(z.union([textBlock, imageBlock, documentBlock])),
    is_error: z.boolean().optional(),
  }),
  z.strictObject({ type: z.literal('thinking'), thinking: z.string(), signature: z.string() }),
  z.strictObject({ type: z.literal('redacted_thinking'), data: z.string() }),
]);
const parallel = { disable_parallel_tool_use: z.boolean().optional() };

const messagesRequest = z.strictObject({
  model: z.string(),
  max_tokens: maximum,
  stream: z.literal(true).optional(),
  system: z.array(textBlock).optional(),
  messages: z.array(
    z.strictObject({
      role: z.enum(['user', 'assistant']),
      content: z.array(messagesBlock).min(1),
    }),
  ),
  tools: z
    .array(
      z.strictObject({
        name,
        description: z.string().optional(),
        input_schema: schemaObject,
        strict: z.boolean().optional(),
      }),
    )
    .optional(),
  tool_choice: z
    .union([
      z.strictObject({ type: z.enum(['auto', 'any']), ...parallel }),
      z.strictObject({ type: z.literal('none') }),
      z.strictObject({ type: z.literal('tool'), name, ...parallel }),
    ])
    .optional(),
  temperature: share.optional(),
  top_p: share.optional(),
  top_k: z.int().min(0).optional(),
  stop_sequences: z.array(z.string()).optional(),
  thinking: z
    .union([
      z.strictObject({ type: z.literal('enabled'), budget_tokens: z.int().min(1024) }),
      z.strictObject({ type: z.literal('disabled') }),
      z.strictObject({
        type: z.literal('adaptive'),
        display: z.enum(['summarized', 'omitted']).optional(),
      }),
    ])
    .optional(),
  output_config: z
    .strictObject({
      effort: z.enum(['low', 'medium', 'high', 'xhigh', 'max']).optional(),
      format: z.strictObject({ type: z.literal('json_schema'), schema: jsonObject }).optional(),
    })
    .optional(),
});

// OpenAI's Chat Completions.
const effort = z.enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']);
const chatText = z.strictObject({ type: z.literal('text'), text: z.string() });
const chatImage = z.strictObject({
  type: z.literal('image_url'),
  image_url: z.strictObject({
    url: z.string(),
    detail: z.enum(['auto', 'low', 'high']).optional(),
  }),
});
const chatFile = z.strictObject({
  type: z.literal('file'),
  file: z.strictObject({ filename: z.string(), file_data: z.string() }),
});
const chatCall = z.strictObject({
  id: z.string(),
  type: z.literal('function'),
  function: z.strictObject({ name, arguments: z.string() }),
});

const chatRequest = z.strictObject({
  model: z.string(),
  messages: z
    .array(
      z.union([
        z.strictObject({ role: z.literal('system'), content: z.string() }),
        z.strictObject({
          role: z.literal('user'),
          content: z.union([z.string(), z.array(z.union([chatText, chatImage, chatFile])).min(1)]),
        }),
        z.strictObject({
          role: z.literal('assistant'),
          content: z.string().nullable(),
          refusal: z.string().optional(),
          tool_calls: z.array(chatCall).min(1).optional(),
        }),
        z.strictObject({
          role: z.literal('tool'),
          tool_call_id: z.string(),
          content: z.string(),
        }),
      ]),
    )
    .min(1),
  stream: z.literal(true).optional(),
  stream_options: z.strictObject({ include_usage: z.boolean() }).optional(),
  max_completion_tokens: maximum.optional(),
  temperature: temperature.optional(),
  top_p: share.optional(),
  seed: z.int().optional(),
  presence_penalty: z.number().min(-2).max(2).optional(),
  frequency_penalty: z.number().min(-2).max(2).optional(),
  stop: z.array(z.string()).optional(),
  tools: z
    .array(
      z.strictObject({
        type: z.literal('function'),
        function: z.strictObject({
          name,
          description: z.string().optional(),
          parameters: jsonObject.optional(),
          strict: z.boolean().optional(),
        }),
      }),
    )
    .optional(),
  tool_choice: z
    .union([
      z.enum(['auto', 'none', 'required']),
      z.strictObject({ type: z.literal('function'), function: z.strictObject({ name }) }),
    ])
    .optional(),
  parallel_tool_calls: z.boolean().optional(),
  reasoning_effort: effort.optional(),
  response_format: z
    .union([
      z.strictObject({ type: z.literal('json_object') }),
      z.strictObject({
        type: z.literal('json_schema'),
        json_schema: z.strictObject({
          name,
          schema: jsonObject,
          strict: z.boolean().optional(),
        }),
      }),
    ])
    .optional(),
});

// OpenAI's Responses.
const inputText = z.strictObject({ type: z.literal('input_text'), text: z.string() });
const inputImage = z.strictObject({
  type: z.literal('input_image'),
  image_url: z.string(),
  detail: z.enum(['auto', 'low', 'high']),
});
const inputFile = z.strictObject({
  type: z.literal('input_file'),
  filename: z.string().optional(),
  file_data: z.string().optional(),
  file_url: z.string().optional(),
});

const responsesRequest = z.strictObject({
  model: z.string(),
  instructions: z.string().optional(),
  input: z.array(
    z.union([
      z.strictObject({
        type: z.literal('message'),
        role: z.literal('user'),
        content: z.array(z.union([inputText, inputImage, inputFile])).min(1),
      }),
      z.strictObject({
        type: z.literal('message'),
        role: z.literal('assistant'),
        content: z.string(),
      }),
      z.strictObject({
        type: z.literal('message'),
        id: z.string().regex(/^msg_/),
        role: z.literal('assistant'),
        status: z.literal('completed'),
        content: z
          .array(z.strictObject({ type: z.literal('refusal'), refusal: z.string() }))
          .min(1),
      }),
      z.strictObject({
        type: z.literal('function_call'),
        call_id: z.string(),
        name,
        arguments: z.string(),
      }),
      z.strictObject({
        type: z.literal('function_call_output'),
        call_id: z.string(),
        output: z.union([z.string(), z.array(z.union([inputText, inputImage, inputFile]))]),
      }),
      z.strictObject({
        type: z.literal('reasoning'),
        id: z.string(),
        summary: z.array(z.strictObject({ type: z.literal('summary_text'), text: z.string() })),
        encrypted_content: z.string().optional(),
      }),
    ]),
  ),
  stream: z.literal(true).optional(),
  store: z.literal(false),
  include: z.array(z.literal('reasoning.encrypted_content')),
  max_output_tokens: maximum.optional(),
  temperature: temperature.optional(),
  top_p: share.optional(),
  tools: z
    .array(
      z.strictObject({
        type: z.literal('function'),
        name,
        description: z.string().optional(),
        parameters: jsonObject,
        strict: z.boolean(),
      }),
    )
    .optional(),
  tool_choice: z
    .union([
      z.enum(['auto', 'none', 'required']),
      z.strictObject({ type: z.literal('function'), name }),
    ])
    .optional(),
  parallel_tool_calls: z.boolean().optional(),
  reasoning: z
    .strictObject({ effort: effort.optional(), summary: z.literal('auto').optional() })
    .optional(),
  text: z
    .strictObject({
      format: z.union([
        z.strictObject({ type: z.literal('json_object') }),
        z.strictObject({
          type: z.literal('json_schema'),
          name,
          schema: jsonObject,
          strict: z.boolean().optional(),
        }),
      ]),
    })
    .optional(),
});

// Gemini's generateContent.
const generatePart = z.union([
  z.strictObject({ text: z.string(), thought: z.boolean().optional(), ...signed() }),
  z.strictObject({
    inlineData: z.strictObject({
      mimeType: z.string(),
      data: z.string(),
      displayName: z.string().optional(),
    }),
    ...signed(),
  }),
  z.strictObject({
    fileData: z.strictObject({
      mimeType: z.string().optional(),
      fileUri: z.string(),
      displayName: z.string().optional(),
    }),
    ...signed(),
  }),
  z.strictObject({ functionCall: z.strictObject({ name, args: jsonObject }), ...signed() }),
  z.strictObject({ functionResponse: z.strictObject({ name, response: jsonObject }), ...signed() }),
]);

function signed() {
  return { thoughtSignature: z.string().optional() };
}

const generateRequest = z.strictObject({
  contents: z
    .array(z.strictObject({ role: z.enum(['user', 'model']), parts: z.array(generatePart).min(1) }))
    .min(1),
  systemInstruction: z
    .strictObject({ parts: z.array(z.strictObject({ text: z.string() })).min(1) })
    .optional(),
  tools: z
    .array(
      z.strictObject({
        functionDeclarations: z.array(
          z.strictObject({
            name,
            description: z.string().optional(),
            parametersJsonSchema: jsonObject.optional(),
          }),
        ),
      }),
    )
    .optional(),
  toolConfig: z
    .strictObject({
      functionCallingConfig: z.strictObject({
        mode: z.enum(['AUTO', 'NONE', 'ANY']),
        allowedFunctionNames: z.array(name).optional(),
      }),
    })
    .optional(),
  generationConfig: z
    .strictObject({
      maxOutputTokens: maximum.optional(),
      temperature: temperature.optional(),
      topP: share.optional(),
      topK: z.int().min(1).optional(),
      seed: z.int().optional(),
      presencePenalty: z.number().optional(),
      frequencyPenalty: z.number().optional(),
      stopSequences: z.array(z.string()).optional(),
      responseMimeType: z.literal('application/json').optional(),
      responseJsonSchema: jsonObject.optional(),
      thinkingConfig: z
        .strictObject({
          thinkingBudget: z.int().min(0).optional(),
          includeThoughts: z.boolean().optional(),
        })
        .optional(),
    })
    .optional(),
});

export const VENDOR_REQUESTS = {
  messages: messagesRequest,
  chat: chatRequest,
  responses: responsesRequest,
  generate: generateRequest,
} as const;

// The compiler refuses a schema that allows a request which the SDK's types do not.
type Written<S extends z.ZodType> = Required<z.infer<S>>;
type GenerateConfig = NonNullable<GenerateContentParameters['config']>;
type Generated = Written<typeof generateRequest>;

export type SdkAccepts = [
  Accepted<Written<typeof messagesRequest>['messages'], Anthropic.MessageParam[]>,
  Accepted<Written<typeof messagesRequest>['system'], Anthropic.TextBlockParam[]>,
  Accepted<Written<typeof messagesRequest>['tool_choice'], Anthropic.ToolChoice>,
  Accepted<Written<typeof messagesRequest>['thinking'], Anthropic.ThinkingConfigParam>,
  Accepted<
    Written<typeof chatRequest>['messages'],
    OpenAI.Chat.Completions.ChatCompletionMessageParam[]
  >,
  Accepted<Written<typeof chatRequest>['tools'], OpenAI.Chat.Completions.ChatCompletionTool[]>,
  Accepted<
    Written<typeof chatRequest>['tool_choice'],
    OpenAI.Chat.Completions.ChatCompletionToolChoiceOption
  >,
  Accepted<Written<typeof responsesRequest>['input'], OpenAI.Responses.ResponseInput>,
  Accepted<Written<typeof responsesRequest>['include'], OpenAI.Responses.ResponseIncludable[]>,
  Accepted<Written<typeof responsesRequest>['reasoning'], OpenAI.Reasoning>,
  Accepted<Written<typeof responsesRequest>['tools'], OpenAI.Responses.Tool[]>,
  Accepted<Written<typeof responsesRequest>['text'], OpenAI.Responses.ResponseTextConfig>,
  Accepted<Generated['contents'], NonNullable<GenerateContentParameters['contents']>>,
  Accepted<Generated['systemInstruction'], NonNullable<GenerateConfig['systemInstruction']>>,
];

type Accepted<Given extends Published, Published> = Given;
