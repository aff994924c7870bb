//! The documented Gemini request as a table, after the request types of the official Python library google-genai 3.6.1
//! and the API reference of November 2026.
//!
//! One value may stand where a list is meant, numbers may stand in strings and null is the same as nothing: so the API reads
//! the JSON of protocol buffers. What Vertex AI alone knows is listed, too, and what lies below a setting is taken as it comes.

use super::speech::SPEECH;
use crate::rule::shape::{Field, REST, Shape, Text};

use Shape::{Any, Bool, Decimal, Either, List, Object, Open, Spoken};

/// No limit on a length.
const MANY: usize = usize::MAX;
const ANY_TEXT: Shape = Shape::Text(Text::ANY);
const TEXTS: Shape = Either(&[List(&ANY_TEXT, 0, MANY), ANY_TEXT]);
/// A whole or other number.
const NUMBER: Shape = Either(&[Decimal(f64::MIN, f64::MAX), ANY_TEXT]);

/// The body of `POST …:generateContent` and `…:streamGenerateContent`.
pub(crate) const REQUEST: Shape = Spoken(&SPEECH, &BODY);

const BODY: Shape = Object(&[
    Field::required("contents", Either(&[List(&CONTENT, 1, MANY), CONTENT])),
    Field::nullable("model", ANY_TEXT),
    Field::nullable("systemInstruction", CONTENT),
    Field::nullable("tools", Either(&[List(&TOOL, 0, MANY), TOOL])),
    Field::nullable("toolConfig", TOOL_CONFIG),
    Field::nullable("safetySettings", Either(&[List(&SAFETY, 0, MANY), SAFETY])),
    Field::nullable("generationConfig", GENERATION),
    Field::nullable("cachedContent", ANY_TEXT),
    Field::nullable("labels", Open),
    Field::nullable("serviceTier", Any),
    Field::nullable("store", Bool),
    Field::nullable("continuationToken", Any),
    Field::nullable("modelArmorConfig", Open),
    Field::nullable("outputConfig", Open),
]);

const CONTENT: Shape = Object(&[
    Field::nullable("role", ANY_TEXT),
    Field::nullable("parts", Either(&[List(&PART, 0, MANY), PART])),
]);

const PART: Shape = Object(&[
    Field::nullable("text", ANY_TEXT),
    Field::nullable("thought", Bool),
    Field::nullable("thoughtSignature", ANY_TEXT),
    Field::nullable("functionCall", Object(CALL)),
    Field::nullable("functionResponse", Object(RESPONSE)),
    Field::nullable("inlineData", Open),
    Field::nullable("fileData", Open),
    Field::nullable("executableCode", Open),
    Field::nullable("codeExecutionResult", Open),
    Field::nullable("toolCall", Open),
    Field::nullable("toolResponse", Open),
    Field::nullable("videoMetadata", Open),
    Field::nullable("partMetadata", Any),
    Field::nullable("mediaResolution", Any),
    Field::nullable("mediaProcessing", Any),
    Field::nullable("audioTranscription", Any),
    Field::nullable("audioMetadata", Any),
    Field::nullable("speechMetadata", Any),
    Field::nullable("documentMetadata", Any),
    Field::nullable("spreadsheetMetadata", Any),
]);

const CALL: &[Field] = &[
    Field::nullable("id", ANY_TEXT),
    Field::required("name", ANY_TEXT),
    Field::nullable("args", Open),
    Field::nullable("partialArgs", Any),
    Field::nullable("willContinue", Bool),
];

const RESPONSE: &[Field] = &[
    Field::nullable("id", ANY_TEXT),
    Field::required("name", ANY_TEXT),
    Field::nullable("response", Open),
    Field::nullable("parts", Any),
    Field::nullable("willContinue", Bool),
    Field::nullable("scheduling", ANY_TEXT),
];

const TOOL: Shape = Object(&[
    Field::nullable("functionDeclarations", Either(&[List(&FUNCTION, 0, MANY), FUNCTION])),
    Field::nullable("googleSearch", Open),
    Field::nullable("googleSearchRetrieval", Open),
    Field::nullable("codeExecution", Open),
    Field::nullable("urlContext", Open),
    Field::nullable("computerUse", Open),
    Field::nullable("fileSearch", Open),
    Field::nullable("googleMaps", Open),
    Field::nullable("mcpServers", Any),
    Field::nullable("retrieval", Open),
    Field::nullable("enterpriseWebSearch", Open),
    Field::nullable("parallelAiSearch", Open),
    Field::nullable("exaAiSearch", Open),
]);

const FUNCTION: Shape = Object(&[
    Field::required("name", ANY_TEXT),
    Field::nullable("description", ANY_TEXT),
    Field::nullable("parameters", Open),
    Field::nullable("parametersJsonSchema", Any),
    Field::nullable("response", Open),
    Field::nullable("responseJsonSchema", Any),
    Field::nullable("behavior", ANY_TEXT),
]);

const TOOL_CONFIG: Shape = Object(&[
    Field::nullable(
        "functionCallingConfig",
        Object(&[
            Field::nullable("mode", Either(&[Shape::Word(MODES), Decimal(0.0, 100.0)])),
            Field::nullable("allowedFunctionNames", TEXTS),
            REST,
        ]),
    ),
    REST,
]);

/// What a mode of function calling may be.
pub(crate) const MODES: &[&str] = &["MODE_UNSPECIFIED", "AUTO", "ANY", "NONE", "VALIDATED"];

const SAFETY: Shape = Object(&[
    Field::nullable("category", Any),
    Field::nullable("threshold", Any),
    Field::nullable("method", Any),
]);

const GENERATION: Shape = Object(&[
    Field::nullable("temperature", Either(&[Decimal(0.0, 2.0), ANY_TEXT])),
    Field::nullable("topP", Either(&[Decimal(0.0, 1.0), ANY_TEXT])),
    Field::nullable("topK", NUMBER),
    Field::nullable("candidateCount", NUMBER),
    Field::nullable("maxOutputTokens", NUMBER),
    Field::nullable("stopSequences", TEXTS),
    Field::nullable("seed", NUMBER),
    Field::nullable("presencePenalty", NUMBER),
    Field::nullable("frequencyPenalty", NUMBER),
    Field::nullable("responseLogprobs", Bool),
    Field::nullable("logprobs", NUMBER),
    Field::nullable("responseMimeType", ANY_TEXT),
    Field::nullable("responseSchema", Open),
    Field::nullable("responseJsonSchema", Any),
    Field::nullable("responseModalities", TEXTS),
    Field::nullable("thinkingConfig", Open),
    Field::nullable("_responseJsonSchema", Any),
    Field::nullable("responseFormat", Any),
    Field::nullable("enableEnhancedCivicAnswers", Bool),
    Field::nullable("speechConfig", Open),
    Field::nullable("imageConfig", Open),
    Field::nullable("mediaResolution", Any),
    Field::nullable("audioTimestamp", Bool),
    Field::nullable("audioTranscriptionConfig", Open),
    Field::nullable("enableAffectiveDialog", Bool),
    Field::nullable("translationConfig", Open),
    Field::nullable("routingConfig", Open),
    Field::nullable("modelSelectionConfig", Open),
    Field::nullable("modelConfig", Open),
]);
